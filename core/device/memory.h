#pragma once

// Memory for payloads: the program's, where it has given an allocator (rondo/allocator.h), the
// device's driver's elsewhere. Not for steady state: it takes a lock.
// Threads: any.

#include <cstddef>
#include <memory>

#include "core/status.h"
#include "rondo/device.h"

namespace rondo::device {

/// Aligned to kMemoryAlignment, contents undefined; null for 0 bytes. It goes back where it came
/// from when the last owner lets go. Errors: System (the host has none left), Device, Unsupported,
/// InvalidArgument (the program's allocator gave memory that is of no use).
Result<std::shared_ptr<std::byte[]>> allocate_memory(Device device, std::size_t bytes);

}  // namespace rondo::device
