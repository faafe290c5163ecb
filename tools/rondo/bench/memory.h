#pragma once

// A buffer of the benchmark, in one of the kinds of memory that users have. What is in it is
// written and looked at on the host; memory of a device has a copy there for that. Threads: one at
// a time.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>

#include "rondo/communicator.h"
#include "rondo/device.h"

namespace rondo::tool {

class BenchMemory {
 public:
  /// On the host registered or not; on another device its own. Errors: rondo::Error (System,
  /// Device) where there is no memory.
  BenchMemory(std::size_t bytes, bool registered, Device device = Device::host());

  /// What calls are given, and where that is.
  std::byte* data() const { return data_; }
  Device device() const { return device_; }

  /// The same bytes, for the host.
  std::byte* on_host() const { return on_host_; }
  /// Of `bytes` that repeat every `period`, so many the host has to write, from the first on,
  /// before `upload`: all where the memory is its own; of a device's a few periods, which are
  /// copied there again and again. Gigabytes that the host has just written would push all out of
  /// its caches that it needs for a call.
  std::size_t written_of(std::size_t bytes, std::size_t period) const;
  /// Brings them to the device, as `bytes` from `first` on.
  void upload(std::size_t first, std::size_t bytes, std::size_t period) const;
  /// Brings [first, first + bytes) to the host.
  void download(std::size_t first, std::size_t bytes) const;

 private:
  struct Free {
    void operator()(void* pointer) const { std::free(pointer); }
  };
  Device device_;
  std::optional<RegisteredMemory> registered_;
  std::unique_ptr<void, Free> ordinary_;
  std::optional<DeviceMemory> on_device_;
  std::optional<Stream> stream_;  ///< where there is a device
  std::byte* data_ = nullptr;
  std::byte* on_host_ = nullptr;
};

}  // namespace rondo::tool
