#pragma once

// The 16-bit floats of reduce_list.h on CUDA devices.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace rondo::kernels::cuda {

// The device's own conversions make one NaN of all; the host's keep sign and payload, and min and
// max promise theirs.

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

/// What minimum and maximum compare: two at once, as they lie. The device's NaN has all bits set
/// but the sign; the host's only the first of its mantissa.
struct HalfBits {
  std::uint16_t bits;

  __device__ __forceinline__ static std::uint32_t minimum_words(std::uint32_t a, std::uint32_t b) {
    return words_of(__hmin2_nan(halves_of(a), halves_of(b)));
  }
  __device__ __forceinline__ static std::uint32_t maximum_words(std::uint32_t a, std::uint32_t b) {
    return words_of(__hmax2_nan(halves_of(a), halves_of(b)));
  }

 private:
  __device__ __forceinline__ static __half2 halves_of(std::uint32_t word) {
    __half2 halves;
    memcpy(&halves, &word, sizeof(halves));
    return halves;
  }
  __device__ __forceinline__ static std::uint32_t words_of(__half2 halves) {
    std::uint32_t word = 0;
    memcpy(&word, &halves, sizeof(word));
    return word & ~(__hneu2_mask(halves, halves) & 0x01ff01ffU);
  }
};

struct OrderedHalf {
  using Stored = std::uint16_t;
  using Value = HalfBits;
  __device__ __forceinline__ static HalfBits widen(std::uint16_t element) { return {element}; }
  __device__ __forceinline__ static std::uint16_t narrow(HalfBits value) { return value.bits; }
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
