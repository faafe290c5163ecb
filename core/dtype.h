#pragma once

// Element types and reduce ops as text and as sizes, and the 16-bit float formats.
// Conversions to 16 bits round to nearest, ties to even; a NaN stays a (quiet) NaN with its sign
// and the payload bits that fit. Formats: IEEE 754-2019 binary16; bfloat16 is the upper half of
// a binary32.
// Threads: any.

#include <bit>
#include <cstdint>
#include <string_view>

#include "core/status.h"
#include "rondo/types.h"

namespace rondo {

/// "f32" -> kF32. Errors: InvalidArgument, listing every name.
Result<DataType> parse_data_type(std::string_view text);
/// "sum" -> kSum. Errors: InvalidArgument, listing every name.
Result<ReduceOp> parse_reduce_op(std::string_view text);

constexpr bool is_integer(DataType type) { return type <= DataType::kU64; }
constexpr bool is_bitwise(ReduceOp op) {
  return op >= ReduceOp::kBitAnd && op <= ReduceOp::kBitXor;
}
/// Whether elements of `type` can be combined by `op`: integers by all of them, floats not bitwise.
constexpr bool is_combined_by(DataType type, ReduceOp op) {
  return is_integer(type) || !is_bitwise(op);
}

constexpr float f32_from_bf16(std::uint16_t value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

constexpr std::uint16_t bf16_from_f32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  // Half of the last kept bit, less one if the kept part is even: ties go to the even side, and a
  // carry out of the mantissa is the next exponent (or infinity), as it should be.
  const std::uint32_t rounding = 0x7fffU + ((bits >> 16) & 1U);
  return static_cast<std::uint16_t>((bits + rounding) >> 16);
}

namespace f16 {
inline constexpr std::uint32_t kF32Infinity = 0x7f800000U;
inline constexpr std::uint32_t kInfinity = 0x7c00U;
/// What a binary32 exponent exceeds a binary16 exponent by, in place.
inline constexpr std::uint32_t kRebias = (127U - 15U) << 23;
/// Smallest normal binary16 (2^-14), and the first magnitude that rounds to infinity (65520).
inline constexpr std::uint32_t kSmallestNormal = 113U << 23;
inline constexpr std::uint32_t kOverflow = 0x477ff000U;
/// One last place of a denormal binary16 (2^-24) is the last place of a float near 0.5.
inline constexpr float kDenormalMagic = 0.5F;
}  // namespace f16

constexpr float f32_from_f16(std::uint16_t value) {
  const std::uint32_t sign = (value & 0x8000U) << 16;
  const std::uint32_t magnitude = (value & 0x7fffU) << 13;
  if ((value & f16::kInfinity) == f16::kInfinity) {
    const std::uint32_t quiet = (value & 0x3ffU) != 0 ? 0x400000U : 0U;
    return std::bit_cast<float>(sign | f16::kF32Infinity | magnitude | quiet);
  }
  if ((value & f16::kInfinity) == 0) {  // zero or denormal: mantissa * 2^-24, exact in binary32
    const float positive = static_cast<float>(value & 0x3ffU) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(positive));
  }
  return std::bit_cast<float>(sign | (magnitude + f16::kRebias));
}

constexpr std::uint16_t f16_from_f32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t result = 0;
  if (magnitude > f16::kF32Infinity) {
    result = f16::kInfinity | 0x200U | ((magnitude >> 13) & 0x3ffU);
  } else if (magnitude >= f16::kOverflow) {
    result = f16::kInfinity;
  } else if (magnitude < f16::kSmallestNormal) {
    // The addition itself rounds to a multiple of 2^-24, to nearest even.
    const float shifted = std::bit_cast<float>(magnitude) + f16::kDenormalMagic;
    result =
        std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(f16::kDenormalMagic);
  } else {
    const std::uint32_t rounding = 0xfffU + ((magnitude >> 13) & 1U);
    result = (magnitude - f16::kRebias + rounding) >> 13;
  }
  return static_cast<std::uint16_t>(sign | result);
}

}  // namespace rondo
