#include "collectives/kernels/device_schedule.h"

#include <fmt/format.h>

#include "collectives/kernels/cuda/schedule.h"

namespace rondo::kernels {

Result<DeviceScheduleKernel> find_device_schedule_kernel(DeviceKind device, DataType type,
                                                         ReduceOp op) {
  if (device == DeviceKind::kCuda) {
    if (auto kernel = cuda_schedule_kernel(type, op)) return kernel;
  }
  return Status(ErrorCode::kUnsupported,
                fmt::format("there is no kernel for a whole call of {} of {} on devices of kind {}",
                            to_string(op), to_string(type), to_string(device)));
}

Result<unsigned int> resident_blocks(const detail::StreamImpl& stream) {
  if (stream.device().kind == DeviceKind::kCuda) return cuda_resident_blocks(stream);
  return Status(ErrorCode::kUnsupported, "only CUDA devices have kernels for a whole call");
}

}  // namespace rondo::kernels
