#pragma once

// The schedule kernels of CUDA devices. CMake chooses the file behind this: reduce_stub.cc where
// the build has no CUDA.

#include "collectives/kernels/device_schedule.h"

namespace rondo::kernels {

/// Null where there is none for that type and op.
DeviceScheduleKernel cuda_schedule_kernel(DataType type, ReduceOp op);

/// Errors: Device.
Result<unsigned int> cuda_resident_blocks(const detail::StreamImpl& stream);

}  // namespace rondo::kernels
