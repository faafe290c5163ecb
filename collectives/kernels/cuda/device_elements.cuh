#pragma once

// The 16-bit floats of reduce_list.h on CUDA devices.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>

#include "collectives/kernels/cuda/packed.h"
#include "collectives/kernels/cuda/reduce_kernel.h"

namespace rondo::kernels::cuda {

// The device's own conversions make one NaN of all; these keep sign and payload, which min and max
// promise.

struct Half {
  using Stored = std::uint16_t;
  using Value = float;
  __device__ __forceinline__ static float widen(std::uint16_t element) {
    return __half2float(__ushort_as_half(element));
  }
  __device__ __forceinline__ static std::uint16_t narrow(float value) {
    const unsigned int bits = __float_as_uint(value);
    const auto nan =
        static_cast<std::uint16_t>(((bits >> 16) & 0x8000U) | 0x7e00U | ((bits >> 13) & 0x3ffU));
    return value != value ? nan : __half_as_ushort(__float2half_rn(value));
  }
};

/// What minimum and maximum compare: as they lie, two of a word at once, or one. The device's NaN
/// has all bits set but the sign; the host's only the first of its mantissa.
template <class Bits>
struct HalfBits {
  Bits bits;

  __device__ __forceinline__ static HalfBits minimum(HalfBits a, HalfBits b) {
    return of(__hmin2_nan(a.halves(), b.halves()));
  }
  __device__ __forceinline__ static HalfBits maximum(HalfBits a, HalfBits b) {
    return of(__hmax2_nan(a.halves(), b.halves()));
  }

 private:
  __device__ __forceinline__ __half2 halves() const {
    const std::uint32_t word = bits;
    __half2 halves;
    memcpy(&halves, &word, sizeof(halves));
    return halves;
  }
  __device__ __forceinline__ static HalfBits of(__half2 halves) {
    std::uint32_t word = 0;
    memcpy(&word, &halves, sizeof(word));
    return {static_cast<Bits>(word & ~(__hneu2_mask(halves, halves) & 0x01ff01ffU))};
  }
};

using OrderedHalf = PackedElement<std::uint16_t, HalfBits<std::uint16_t>>;

template <>
struct Tiled<OrderedHalf> {
  using Element = PackedElement<std::uint32_t, HalfBits<std::uint32_t>>;
};

struct BFloat16 {
  using Stored = std::uint16_t;
  using Value = float;
  __device__ __forceinline__ static float widen(std::uint16_t element) {
    return __uint_as_float(static_cast<unsigned int>(element) << 16);
  }
  __device__ __forceinline__ static std::uint16_t narrow(float value) {
    const auto nan = static_cast<std::uint16_t>((__float_as_uint(value) >> 16) | 0x40U);
    return value != value ? nan : __bfloat16_as_ushort(__float2bfloat16_rn(value));
  }
};

}  // namespace rondo::kernels::cuda
