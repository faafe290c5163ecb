// Every reduce kernel, compiled by nvcc for devices of compute capability 8.0 and 9.0 and, as PTX,
// for newer ones. The file becomes one fat binary that librondo carries (embed_image.cmake).

#include "collectives/kernels/cuda/device_elements.cuh"
#include "collectives/kernels/cuda/reduce_list.h"
#include "core/device/primitives/cuda_block.h"

namespace rondo::kernels::cuda {

#define RONDO_CUDA_KERNEL(type, op, Element, Op, Finish)                                \
  extern "C" __global__ void __launch_bounds__(kReduceThreads)                          \
      rondo_reduce_##type##_##op(const __grid_constant__ ReduceParameters parameters) { \
    reduce_kernel<Element, Op, Finish>(primitives::CudaBlock(), parameters);            \
  }

RONDO_CUDA_REDUCE_KERNELS(RONDO_CUDA_KERNEL)

}  // namespace rondo::kernels::cuda
