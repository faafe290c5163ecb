#include "core/device/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "core/device/driver.h"
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

/// Memory of the program's that Rondo has let go of, and that isn't back yet: by device.
class OnItsWay {
 public:
  void add(Device device) {
    const std::lock_guard lock(mutex_);
    devices_.push_back(device);
  }
  void remove(Device device) {
    const std::lock_guard lock(mutex_);
    devices_.erase(std::ranges::find(devices_, device));
    arrived_.notify_all();
  }
  void wait(std::chrono::milliseconds most);

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Device> devices_;
};

void OnItsWay::wait(std::chrono::milliseconds most) {
  constexpr std::chrono::milliseconds kLookPeriod{5};
  const auto until = std::chrono::steady_clock::now() + most;
  std::unique_lock lock(mutex_);
  while (!devices_.empty() && std::chrono::steady_clock::now() < until) {
    const auto devices = devices_;
    lock.unlock();
    for (const Device device : devices) {
      if (const auto driver = device::driver_of(device); driver.ok()) (*driver)->give_back_due();
    }
    lock.lock();
    arrived_.wait_for(lock, kLookPeriod, [this] { return devices_.empty(); });
  }
}

/// Never destroyed, as the allocator.
OnItsWay& on_its_way() {
  static OnItsWay& memory = *new OnItsWay();
  return memory;
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
      [allocator = std::move(allocator), &driver, device, bytes](std::byte* data) mutable {
        on_its_way().add(device);
        driver.give_back(device.index,
                         [allocator = std::move(allocator), device, data, bytes]() mutable {
                           give_back(*allocator, device, data, bytes);
                           allocator.reset();  // nothing of the program's is used behind that
                           on_its_way().remove(device);
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
  constexpr std::chrono::seconds kPatience{1};
  on_its_way().wait(kPatience);
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
