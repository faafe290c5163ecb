#include "core/dtype.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace rondo {
namespace {

struct DataTypeRow {
  DataType type;
  const char* name;
  std::size_t bytes;
};

constexpr std::array<DataTypeRow, 10> kDataTypes = {{
    {DataType::kI8, "i8", 1},
    {DataType::kU8, "u8", 1},
    {DataType::kI32, "i32", 4},
    {DataType::kU32, "u32", 4},
    {DataType::kI64, "i64", 8},
    {DataType::kU64, "u64", 8},
    {DataType::kF16, "f16", 2},
    {DataType::kBF16, "bf16", 2},
    {DataType::kF32, "f32", 4},
    {DataType::kF64, "f64", 8},
}};

struct ReduceOpRow {
  ReduceOp type;
  const char* name;
};

constexpr std::array<ReduceOpRow, 5> kReduceOps = {{
    {ReduceOp::kSum, "sum"},
    {ReduceOp::kProd, "prod"},
    {ReduceOp::kMin, "min"},
    {ReduceOp::kMax, "max"},
    {ReduceOp::kAvg, "avg"},
}};

/// Rows stand in the order of the enumeration, so that a lookup by value is an index.
template <typename Rows>
constexpr bool in_order(const Rows& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].type) != i) return false;
  }
  return true;
}
static_assert(in_order(kDataTypes));
static_assert(in_order(kReduceOps));

/// A value that is no enumerator can come from another process: it gets a name, not a fault.
template <typename Rows, typename Type>
const char* name_in(const Rows& rows, Type value) {
  const auto index = static_cast<std::size_t>(value);
  return index < rows.size() ? rows[index].name : "unknown";
}

template <typename Type, typename Rows>
Result<Type> parse(const char* what, std::string_view text, const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) {
    if (text == row.name) return row.type;
    names.emplace_back(row.name);
  }
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is no {}: allowed are {}", text, what, fmt::join(names, ", ")));
}

constexpr std::uint32_t kF32Infinity = 0x7f800000U;
constexpr std::uint32_t kF16Infinity = 0x7c00U;
/// What a binary32 exponent exceeds a binary16 exponent by, in place.
constexpr std::uint32_t kRebias = (127U - 15U) << 23;
/// Smallest normal binary16 (2^-14), and the first magnitude that rounds to infinity (65520).
constexpr std::uint32_t kSmallestNormal = 113U << 23;
constexpr std::uint32_t kOverflow = 0x477ff000U;
/// One last place of a denormal binary16 (2^-24) is the last place of a float near 0.5.
constexpr float kDenormalMagic = 0.5F;

}  // namespace

inline namespace v1 {

std::size_t size_of(DataType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < kDataTypes.size() ? kDataTypes[index].bytes : 0;
}

const char* to_string(DataType type) { return name_in(kDataTypes, type); }

const char* to_string(ReduceOp op) { return name_in(kReduceOps, op); }

}  // namespace v1

Result<DataType> parse_data_type(std::string_view text) {
  return parse<DataType>("data type", text, kDataTypes);
}

Result<ReduceOp> parse_reduce_op(std::string_view text) {
  return parse<ReduceOp>("reduce op", text, kReduceOps);
}

float f32_from_f16(std::uint16_t value) {
  const std::uint32_t sign = (value & 0x8000U) << 16;
  const std::uint32_t magnitude = (value & 0x7fffU) << 13;
  if ((value & kF16Infinity) == kF16Infinity) {
    const std::uint32_t quiet = (value & 0x3ffU) != 0 ? 0x400000U : 0U;
    return std::bit_cast<float>(sign | kF32Infinity | magnitude | quiet);
  }
  if ((value & kF16Infinity) == 0) {  // zero or denormal: mantissa * 2^-24, exact in binary32
    const float positive = static_cast<float>(value & 0x3ffU) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(positive));
  }
  return std::bit_cast<float>(sign | (magnitude + kRebias));
}

std::uint16_t f16_from_f32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  std::uint32_t result = 0;
  if (magnitude > kF32Infinity) {
    result = kF16Infinity | 0x200U | ((magnitude >> 13) & 0x3ffU);
  } else if (magnitude >= kOverflow) {
    result = kF16Infinity;
  } else if (magnitude < kSmallestNormal) {
    // The addition itself rounds to a multiple of 2^-24, to nearest even.
    const float shifted = std::bit_cast<float>(magnitude) + kDenormalMagic;
    result = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kDenormalMagic);
  } else {
    const std::uint32_t rounding = 0xfffU + ((magnitude >> 13) & 1U);
    result = (magnitude - kRebias + rounding) >> 13;
  }
  return static_cast<std::uint16_t>(sign | result);
}

}  // namespace rondo
