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

constexpr std::array<ReduceOpRow, 8> kReduceOps = {{
    {ReduceOp::kSum, "sum"},
    {ReduceOp::kProd, "prod"},
    {ReduceOp::kMin, "min"},
    {ReduceOp::kMax, "max"},
    {ReduceOp::kAvg, "avg"},
    {ReduceOp::kBitAnd, "band"},
    {ReduceOp::kBitOr, "bor"},
    {ReduceOp::kBitXor, "bxor"},
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

}  // namespace rondo
