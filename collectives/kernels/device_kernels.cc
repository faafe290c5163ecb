#include "collectives/kernels/device_kernels.h"

#include "collectives/kernels/cuda/load.h"

namespace rondo::kernels {

Status load_device_kernels(Device device, DeviceKernels which) {
  if (device.kind != DeviceKind::kCuda) return {};
  return load_cuda_kernels(device, which);
}

}  // namespace rondo::kernels
