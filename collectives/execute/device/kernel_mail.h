#pragma once

// What one rank's schedule kernels have on its device from call to call: where peers' letters and
// goodbyes come in, the state of its lanes, and words that the host sees, too.
// Threads: one at a time, as the place.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/execute/device/device_place.h"
#include "collectives/kernels/cuda/schedule_program.h"
#include "core/status.h"

namespace rondo::execute {

/// Memory of a device, freed with its last owner.
using DeviceBytes = std::shared_ptr<void>;
/// Errors: Device.
Result<DeviceBytes> allocate_on(DevicePlace& place, std::size_t bytes);
/// Copies, and waits until that is done. Errors: Device.
Status fill(DevicePlace& place, void* target, const void* source, std::size_t bytes);

class KernelMail {
 public:
  /// Errors: Device, Unsupported.
  static Result<std::unique_ptr<KernelMail>> make(DevicePlace& place, int world);

  /// There is room for so many letters of each sender and lane. What kernels of other plans were
  /// told of stays. Errors: Device.
  Status reserve(std::uint32_t stride);

  kernels::cuda::Letter* letters() const {
    return static_cast<kernels::cuda::Letter*>(letters_.back().get());
  }
  std::uint32_t stride() const { return stride_; }
  std::uint32_t* goodbyes() const { return static_cast<std::uint32_t*>(goodbyes_.get()); }
  kernels::cuda::ScheduleState* state() const {
    return static_cast<kernels::cuda::ScheduleState*>(state_.get());
  }
  kernels::cuda::ScheduleWords& words() const {
    return *static_cast<kernels::cuda::ScheduleWords*>(words_.get());
  }

 private:
  KernelMail(DevicePlace& place, int world) : place_(place), world_(world) {}
  Result<DeviceBytes> allocate_empty(std::size_t bytes);

  DevicePlace& place_;
  int world_;
  std::uint32_t stride_ = 0;
  std::vector<DeviceBytes> letters_;
  DeviceBytes goodbyes_;
  DeviceBytes state_;
  std::shared_ptr<void> words_;
};

}  // namespace rondo::execute
