#pragma once

// Mappings of other places' memory. What this very process has mapped isn't mapped again: one line,
// one address, by which ThreadSanitizer knows it.
// Threads: any.

#include <cstddef>
#include <memory>

#include "core/status.h"
#include "transport/shm/memfd.h"

namespace rondo::transport {

/// Mapped memory, kept as long as anybody looks at it.
using SharedView = std::shared_ptr<std::byte>;

/// Maps all of a place's own file of `bytes`, to be found again by view_of. Errors: System.
Result<SharedView> map_own(int fd, std::size_t bytes);

/// [offset, offset + bytes) of a file, in this process's own mapping where there is one.
/// Errors: System.
Result<SharedView> view_of(int fd, std::size_t offset, std::size_t bytes, Mapping::Access access);

}  // namespace rondo::transport
