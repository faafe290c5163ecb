#include "core/device/shared_handle.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "core/boot_id.h"
#include "core/device/driver.h"

namespace rondo::device {
namespace {

/// The first 64 bits of the boot id, which is random.
std::uint64_t this_host() {
  static const std::uint64_t host = [] {
    std::string digits;
    for (const char digit : boot_id().value_or("")) {
      if (digit != '-' && digits.size() < 16) digits += digit;
    }
    return static_cast<std::uint64_t>(std::strtoull(digits.c_str(), nullptr, 16));
  }();
  return host;
}

const char* name_of(SharedKind what) { return what == SharedKind::kMemory ? "memory" : "an event"; }

}  // namespace

SharedHandle new_handle(Device device, SharedKind what) {
  SharedHandle handle;
  handle.host = this_host();
  handle.process = ::getpid();
  handle.index = static_cast<std::int16_t>(device.index);
  handle.kind = device.kind;
  handle.what = what;
  if (what == SharedKind::kEvent) handle.allocation = new_number();
  return handle;
}

std::uint64_t new_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

Status check_handle(const SharedHandle& handle, DeviceKind kind, SharedKind what) {
  if (handle.kind != kind || handle.what != what) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("a handle to {} of a device of kind {} was expected, but {} came",
                              name_of(what), to_string(kind), describe(handle)));
  }
  if (handle.host == this_host()) return {};
  return Status(ErrorCode::kDevice,
                describe(handle) +
                    " belongs to another machine: only ranks of one host can share a device's "
                    "memory; between hosts use RONDO_TRANSPORT=tcp or auto");
}

std::string describe(const SharedHandle& handle) {
  return fmt::format("{} of {} of process {}", name_of(handle.what),
                     name_of(Device{handle.kind, handle.index}), handle.process);
}

}  // namespace rondo::device
