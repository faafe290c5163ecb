#pragma once

// CMake chooses the file behind this: reduce_stub.cc where the build has no CUDA.

#include "collectives/kernels/device_kernels.h"

namespace rondo::kernels {

/// Errors: Device.
Status load_cuda_kernels(Device device, DeviceKernels which);

}  // namespace rondo::kernels
