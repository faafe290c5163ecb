#include "collectives/kernels/cuda/load.h"

#include <string>

#include "collectives/kernels/cuda/images.h"
#include "collectives/kernels/cuda/reduce_list.h"
#include "core/device/cuda/driver.h"

namespace rondo::kernels {
namespace {

/// Each kernel's type and op, as its name ends.
#define RONDO_KERNEL_NAME(type, op, Element, Op, Finish) #type "_" #op,
constexpr const char* kNames[] = {RONDO_CUDA_REDUCE_KERNELS(RONDO_KERNEL_NAME)};
#undef RONDO_KERNEL_NAME

Status load(const device::CudaContext& context, const unsigned char* image,
            const std::string& prefix) {
  for (const char* const name : kNames)
    RONDO_TRY(context.kernel(image, (prefix + name).c_str()).status());
  return {};
}

}  // namespace

Status load_cuda_kernels(Device device, DeviceKernels which) {
  RONDO_ASSIGN(device::DeviceDriver * driver, device::driver_of(device));
  RONDO_ASSIGN(const auto context, static_cast<device::CudaDriver*>(driver)->context(device.index));
  RONDO_TRY(load(*context, rondo_cuda_reduce_image, "rondo_reduce_"));
  if (which == DeviceKernels::kReduce) return {};
  return load(*context, rondo_cuda_schedule_image, "rondo_schedule_");
}

}  // namespace rondo::kernels
