#include "core/device/memory.h"

#include <fmt/format.h>

#include <cstdint>
#include <mutex>
#include <utility>

#include "core/device/driver.h"
#include "core/device/plugin/registry.h"
#include "core/log.h"
#include "rondo/allocator.h"
#include "rondo/error.h"

namespace rondo {
namespace {

/// The program's, or null. Who has memory of it keeps it.
class CurrentAllocator {
 public:
  void set(std::shared_ptr<const Allocator> allocator) {
    const std::lock_guard lock(mutex_);
    allocator_ = std::move(allocator);
  }

  std::shared_ptr<const Allocator> get() {
    const std::lock_guard lock(mutex_);
    return allocator_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Allocator> allocator_;
};

/// Never destroyed: static objects may let go of memory until the process is gone.
CurrentAllocator& current_allocator() {
  static CurrentAllocator& current = *new CurrentAllocator();
  return current;
}

Status no_memory(Device device, std::size_t bytes, const char* whom) {
  const auto code = device.kind == DeviceKind::kHost ? ErrorCode::kSystem : ErrorCode::kDevice;
  return {code, fmt::format("{} gave no {} bytes on {}", whom, bytes, device::name_of(device))};
}

void* ask(const Allocator& allocator, Device device, std::size_t bytes) {
  try {
    return allocator.allocate(device, bytes);
  } catch (...) {
    return nullptr;
  }
}

void give_back(const Allocator& allocator, Device device, void* memory, std::size_t bytes) {
  try {
    allocator.release(device, memory, bytes);
  } catch (...) {
    log(LogLevel::kError, [] { return "the program's allocator threw when it took memory back"; });
  }
}

Status check(device::DeviceDriver& driver, Device device, void* memory, std::size_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(memory) % kMemoryAlignment != 0) {
    return {ErrorCode::kInvalidArgument,
            fmt::format("the program's allocator gave {} for {} bytes on {}: expected a multiple "
                        "of {}",
                        memory, bytes, device::name_of(device), kMemoryAlignment)};
  }
  return driver.check_memory(device.index, memory, bytes).at("the program's allocator");
}

Result<std::shared_ptr<std::byte[]>> allocate_by(std::shared_ptr<const Allocator> allocator,
                                                 device::DeviceDriver& driver, Device device,
                                                 std::size_t bytes) {
  void* const memory = ask(*allocator, device, bytes);
  if (memory == nullptr) return no_memory(device, bytes, "the program's allocator");
  std::shared_ptr<std::byte[]> owned(
      static_cast<std::byte*>(memory),
      [allocator = std::move(allocator), device, bytes](std::byte* data) {
        device::give_back(device, [allocator, device, data, bytes] {
          give_back(*allocator, device, data, bytes);
        });
      });
  RONDO_TRY(check(driver, device, memory, bytes));
  return owned;
}

}  // namespace

inline namespace v1 {
void set_allocator(Allocator allocator) {
  const bool allocates = static_cast<bool>(allocator.allocate);
  if (allocates != static_cast<bool>(allocator.release)) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("an allocator has two functions or none: `{}` is empty",
                            allocates ? "release" : "allocate"));
  }
  current_allocator().set(allocates ? std::make_shared<const Allocator>(std::move(allocator))
                                    : nullptr);
}
}  // namespace v1

namespace device {

Result<std::shared_ptr<std::byte[]>> allocate_memory(Device device, std::size_t bytes) {
  if (bytes == 0) return std::shared_ptr<std::byte[]>();
  RONDO_ASSIGN(DeviceDriver * driver, driver_of(device));
  if (auto theirs = current_allocator().get())
    return allocate_by(std::move(theirs), *driver, device, bytes);
  const Result<void*> memory = driver->allocate(device.index, bytes);
  if (!memory.ok()) {
    return device.kind == DeviceKind::kHost ? no_memory(device, bytes, "the system")
                                            : memory.status();
  }
  return std::shared_ptr<std::byte[]>(static_cast<std::byte*>(memory.value()),
                                      [driver](std::byte* data) { driver->free(data); });
}

}  // namespace device
}  // namespace rondo
