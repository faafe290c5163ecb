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

float f32_from_f16(std::uint16_t value);
std::uint16_t f16_from_f32(float value);

}  // namespace rondo
