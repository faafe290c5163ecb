#include "collectives/kernels/cuda/load.h"
#include "collectives/kernels/cuda/reduce.h"
#include "collectives/kernels/cuda/schedule.h"

namespace rondo::kernels {

DeviceReduceKernel cuda_reduce_kernel(DataType /*type*/, ReduceOp /*op*/) { return nullptr; }

DeviceScheduleKernel cuda_schedule_kernel(DataType /*type*/, ReduceOp /*op*/) { return nullptr; }

Status load_cuda_kernels(Device /*device*/, DeviceKernels /*which*/) {
  return Status(ErrorCode::kUnsupported, "this build has no CUDA kernels");
}

Result<unsigned int> cuda_resident_blocks(const detail::StreamImpl& /*stream*/) {
  return Status(ErrorCode::kUnsupported, "this build has no CUDA kernels");
}

}  // namespace rondo::kernels
