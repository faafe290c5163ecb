#pragma once

// The Block (block.h) of a CUDA kernel. For nvcc alone.

#include <cuda/atomic>

namespace rondo::primitives {

struct CudaBlock {
  static constexpr unsigned int kNearLooks = 1U << 6, kFarLooks = 1U << 12;
  __device__ __forceinline__ unsigned int thread() const { return threadIdx.x; }
  __device__ __forceinline__ unsigned int threads() const { return blockDim.x; }
  __device__ __forceinline__ unsigned int block() const { return blockIdx.x; }
  __device__ __forceinline__ unsigned int blocks() const { return gridDim.x; }
  __device__ __forceinline__ void sync() const { __syncthreads(); }
  template <class T>
  __device__ __forceinline__ T peek(T* word) const {
    return system(word).load(cuda::memory_order_relaxed);
  }
  template <class T>
  __device__ __forceinline__ T load(T* word) const {
    return system(word).load(cuda::memory_order_acquire);
  }
  template <class T>
  __device__ __forceinline__ void store(T* word, T value) const {
    system(word).store(value, cuda::memory_order_release);
  }
  __device__ __forceinline__ void release() const {
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_system);
  }
  template <class T>
  __device__ __forceinline__ void put(T* word, T value) const {
    system(word).store(value, cuda::memory_order_relaxed);
  }
  template <class T>
  __device__ __forceinline__ T add(T* word, T value) const {
    return cuda::atomic_ref<T, cuda::thread_scope_device>(*word).fetch_add(
        value, cuda::memory_order_acq_rel);
  }
  __device__ __forceinline__ void pause() const { __nanosleep(20); }
  template <class T, int kCount>
  __device__ __forceinline__ T* shared() const {
    // As bytes: elements may have constructors.
    __shared__ alignas(16) unsigned char memory[kCount * sizeof(T)];
    return reinterpret_cast<T*>(memory);
  }

 private:
  template <class T>
  __device__ __forceinline__ static cuda::atomic_ref<T, cuda::thread_scope_system> system(T* word) {
    return cuda::atomic_ref<T, cuda::thread_scope_system>(*word);
  }
};

}  // namespace rondo::primitives
