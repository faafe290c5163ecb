#pragma once

// The reduce kernels of CUDA devices. CMake chooses the file behind this: reduce_stub.cc where the
// build has no CUDA.

#include "collectives/kernels/device_reduce.h"

namespace rondo::kernels {

/// Null where there is none for that type and op.
DeviceReduceKernel cuda_reduce_kernel(DataType type, ReduceOp op);

}  // namespace rondo::kernels
