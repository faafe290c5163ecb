// The schedule kernel for every type and op, compiled like the reduce kernels.

#include "collectives/kernels/cuda/device_elements.cuh"
#include "collectives/kernels/cuda/reduce_list.h"
#include "collectives/kernels/cuda/schedule_kernel.h"
#include "core/device/primitives/cuda_block.h"

namespace rondo::kernels::cuda {

#define RONDO_CUDA_KERNEL(type, op, Element, Op, Finish)                        \
  extern "C" __global__ void __launch_bounds__(kReduceThreads, kScheduleBlocks) \
      rondo_schedule_##type##_##op(const __grid_constant__ ScheduleCall call) { \
    schedule_kernel<Element, Op, Finish>(primitives::CudaBlock(), call);        \
  }

RONDO_CUDA_REDUCE_KERNELS(RONDO_CUDA_KERNEL)

}  // namespace rondo::kernels::cuda
