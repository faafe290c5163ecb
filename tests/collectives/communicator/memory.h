#pragma once

// One rank's elements, where its device has them: on the heap, registered, or in a device's memory
// that the host can't touch.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "rondo/communicator.h"
#include "rondo/device.h"
#include "tests/collectives/communicator/values.h"

namespace rondo::testing {

template <typename T>
class Memory {
 public:
  Memory(Device device, std::size_t count, bool registered) : device_(device), stream_(device) {
    const std::size_t bytes = std::max<std::size_t>(1, count) * sizeof(T);
    if (device.kind != DeviceKind::kHost) {
      on_device_ = std::make_unique<DeviceMemory>(device, bytes);
      data_ = static_cast<T*>(on_device_->data());
    } else if (registered) {
      registered_ = std::make_unique<RegisteredMemory>(bytes);
      data_ = static_cast<T*>(registered_->data());
    } else {
      heap_.resize(bytes / sizeof(T));
      data_ = heap_.data();
    }
  }

  Buffer buffer(std::size_t first, std::size_t count) {
    return {static_cast<void*>(data_ + first), count, kernels::type_of<T>(), device_};
  }
  void write(std::size_t first, const std::vector<T>& values) {
    move(data_ + first, values.data(), values.size());
  }
  std::vector<T> read(std::size_t first, std::size_t count) {
    std::vector<T> values(count);
    move(values.data(), data_ + first, count);
    return values;
  }

 private:
  void move(T* target, const T* source, std::size_t count) {
    if (count == 0) return;
    stream_.copy(target, source, count * sizeof(T));
    stream_.synchronize();
  }

  Device device_;
  Stream stream_;
  std::unique_ptr<DeviceMemory> on_device_;
  std::unique_ptr<RegisteredMemory> registered_;
  std::vector<T> heap_;
  T* data_ = nullptr;
};

}  // namespace rondo::testing
