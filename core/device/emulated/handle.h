#pragma once

// What stands in the opaque part of an emulated device's handles: a file of the process that made
// it, which others open by way of /proc. As with CUDA's handles nothing has to be passed along but
// bytes; and as there, who made it must be alive, on this machine, and of the same user.
// Threads: any.

#include <cstdint>

#include "core/device/shared_handle.h"
#include "core/status.h"
#include "core/unique_fd.h"

namespace rondo::device {

struct EmulatedOpaque {
  std::uint64_t inode = 0;   ///< of the file, so that a later process of the same number isn't
  std::uint64_t volume = 0;  ///< taken for the one that made the handle
  std::int32_t descriptor = -1;
  std::uint32_t slot = 0;  ///< of an event
};

/// Errors: System.
Status name_file(SharedHandle& handle, int descriptor, std::uint32_t slot = 0);

EmulatedOpaque opaque_of(const SharedHandle& handle);

/// The file that a checked handle names. Errors: Device (its process is gone), System.
Result<UniqueFd> open_file(const SharedHandle& handle);

}  // namespace rondo::device
