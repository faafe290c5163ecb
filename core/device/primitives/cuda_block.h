#pragma once

// The Block (block.h) of a CUDA kernel. For nvcc alone.

namespace rondo::primitives {

struct CudaBlock {
  __device__ __forceinline__ unsigned int thread() const { return threadIdx.x; }
  __device__ __forceinline__ unsigned int threads() const { return blockDim.x; }
  __device__ __forceinline__ unsigned int block() const { return blockIdx.x; }
  __device__ __forceinline__ unsigned int blocks() const { return gridDim.x; }
  __device__ __forceinline__ void sync() const { __syncthreads(); }
  template <class T, int kCount>
  __device__ __forceinline__ T* shared() const {
    // As bytes: elements may have constructors.
    __shared__ alignas(16) unsigned char memory[kCount * sizeof(T)];
    return reinterpret_cast<T*>(memory);
  }
};

}  // namespace rondo::primitives
