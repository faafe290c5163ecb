#pragma once

// NVIDIA devices. CMake chooses the file behind this: cuda_stub.cc where the build has no CUDA.

#include "core/device/driver.h"

namespace rondo::device {

Result<DeviceDriver*> cuda_driver();

}  // namespace rondo::device
