#pragma once

// Every reduce kernel: KERNEL(name of the type, name of the op, Element, Op, Finish). Whoever
// expands it brings Half, OrderedHalf and BFloat16, which differ between devices and the host.
// Sums, products and bits don't ask for an integer's sign, so the unsigned types stand for both
// there.

#include <cstdint>

#include "collectives/kernels/cuda/reduce_kernel.h"
#include "core/device/primitives/functors.h"

#define RONDO_CUDA_ARITHMETIC(KERNEL, type, Element, Ordered, Wide) \
  KERNEL(type, sum, Element, primitives::Add, NoFinish)             \
  KERNEL(type, prod, Element, primitives::Multiply, NoFinish)       \
  KERNEL(type, min, Ordered, primitives::Minimum, NoFinish)         \
  KERNEL(type, max, Ordered, primitives::Maximum, NoFinish)         \
  KERNEL(type, avg, Element, primitives::Add, DivideFinish<Wide>)

#define RONDO_CUDA_BITS(KERNEL, type, Element)              \
  KERNEL(type, band, Element, primitives::BitAnd, NoFinish) \
  KERNEL(type, bor, Element, primitives::BitOr, NoFinish)   \
  KERNEL(type, bxor, Element, primitives::BitXor, NoFinish)

#define RONDO_CUDA_REDUCE_KERNELS(KERNEL)                                      \
  RONDO_CUDA_ARITHMETIC(KERNEL, i8, Bytes, Plain<std::int8_t>, std::int8_t)    \
  RONDO_CUDA_ARITHMETIC(KERNEL, u8, Bytes, Bytes, std::uint8_t)                \
  RONDO_CUDA_ARITHMETIC(KERNEL, i32, Words, Plain<std::int32_t>, std::int32_t) \
  RONDO_CUDA_ARITHMETIC(KERNEL, u32, Words, Words, std::uint32_t)              \
  RONDO_CUDA_ARITHMETIC(KERNEL, i64, Longs, Plain<std::int64_t>, std::int64_t) \
  RONDO_CUDA_ARITHMETIC(KERNEL, u64, Longs, Longs, std::uint64_t)              \
  RONDO_CUDA_ARITHMETIC(KERNEL, f16, Half, OrderedHalf, float)                 \
  RONDO_CUDA_ARITHMETIC(KERNEL, bf16, BFloat16, BFloat16, float)               \
  RONDO_CUDA_ARITHMETIC(KERNEL, f32, Plain<float>, Plain<float>, float)        \
  RONDO_CUDA_ARITHMETIC(KERNEL, f64, Plain<double>, Plain<double>, double)     \
  RONDO_CUDA_BITS(KERNEL, bits8, Bytes)                                        \
  RONDO_CUDA_BITS(KERNEL, bits32, Words)                                       \
  RONDO_CUDA_BITS(KERNEL, bits64, Longs)

namespace rondo::kernels::cuda {

using Bytes = Plain<std::uint8_t>;
using Words = Plain<std::uint32_t>;
using Longs = Plain<std::uint64_t>;

}  // namespace rondo::kernels::cuda
