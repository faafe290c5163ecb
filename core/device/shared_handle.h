#pragma once

// Names memory, or an event, of a device to another process of the same host. Plain bytes, so that
// any message can carry it. What is in `opaque` is the driver's business; the rest tells, before a
// driver looks at it, whether it can be for it at all.

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/status.h"
#include "rondo/device.h"

namespace rondo::device {

enum class SharedKind : std::uint8_t { kMemory, kEvent };

struct SharedHandle {
  std::uint64_t host = 0;  ///< of the process that made it: 0 where the system doesn't tell
  std::int32_t process = 0;
  std::int16_t index = 0;  ///< of its device
  DeviceKind kind = DeviceKind::kHost;
  SharedKind what = SharedKind::kMemory;
  /// Of memory: how much of it, and where that begins in what the driver maps.
  std::uint64_t offset_bytes = 0;
  std::uint64_t bytes = 0;
  /// Of memory: its allocation's address, which may be given to another one while peers still have
  /// this one open, and a number that no other allocation of the process has. Of an event: a number
  /// that no other that was exported has. By these its owner says that it is gone.
  std::uint64_t base = 0;
  std::uint64_t allocation = 0;
  std::array<std::byte, 64> opaque{};  ///< as large as a handle of CUDA's
};

/// One of this process, with nothing in `opaque` yet; an event's has its number.
SharedHandle new_handle(Device device, SharedKind what);
/// One that nothing else of this process has. Threads: any.
std::uint64_t new_number();

/// Whether a driver of `kind` can look at it.
/// Errors: InvalidArgument (another kind of device, or of thing), Device (another machine).
Status check_handle(const SharedHandle& handle, DeviceKind kind, SharedKind what);

/// "memory of emulated:1 of process 4711".
std::string describe(const SharedHandle& handle);

}  // namespace rondo::device
