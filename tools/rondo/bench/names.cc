#include "tools/rondo/bench/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

namespace rondo::tool {
namespace {

struct Alias {
  std::string_view name;
  DataType type;
};

/// nccl-tests' words for element types, so that its command lines and scripts work here; of two for
/// one type the first is the one that it prints.
constexpr std::array kTypeAliases = {
    Alias{"int8", DataType::kI8},       Alias{"uint8", DataType::kU8},
    Alias{"int32", DataType::kI32},     Alias{"int", DataType::kI32},
    Alias{"uint32", DataType::kU32},    Alias{"int64", DataType::kI64},
    Alias{"uint64", DataType::kU64},    Alias{"half", DataType::kF16},
    Alias{"bfloat16", DataType::kBF16}, Alias{"float", DataType::kF32},
    Alias{"double", DataType::kF64},
};

/// By one of its names, or where there is none of the name (or of `besides`) as one_of answers.
std::optional<DataType> type_of(std::string_view text, std::string_view besides = {}) {
  for (const Alias& alias : kTypeAliases) {
    if (text == alias.name) return alias.type;
  }
  std::vector<std::string_view> names;
  for (const DataType type : all_types()) names.emplace_back(to_string(type));
  if (!besides.empty()) names.push_back(besides);
  one_of("type", text, names);
  const auto found =
      std::ranges::find(all_types(), text, [](DataType type) { return to_string(type); });
  return found == all_types().end() ? std::nullopt : std::optional(*found);
}

}  // namespace

const std::vector<Collective>& all_collectives() {
  static const std::vector<Collective> collectives = {
      Collective::kAllReduce, Collective::kAllGather, Collective::kReduceScatter,
      Collective::kBroadcast, Collective::kReduce,    Collective::kGather,
      Collective::kScatter,   Collective::kAllToAll,  Collective::kBarrier};
  return collectives;
}

const std::vector<DataType>& all_types() {
  static const std::vector<DataType> types = {
      DataType::kI8,  DataType::kU8,  DataType::kI32,  DataType::kU32, DataType::kI64,
      DataType::kU64, DataType::kF16, DataType::kBF16, DataType::kF32, DataType::kF64};
  return types;
}

const std::vector<ReduceOp>& all_ops() {
  static const std::vector<ReduceOp> ops = {ReduceOp::kSum,   ReduceOp::kProd,  ReduceOp::kMin,
                                            ReduceOp::kMax,   ReduceOp::kAvg,   ReduceOp::kBitAnd,
                                            ReduceOp::kBitOr, ReduceOp::kBitXor};
  return ops;
}

const std::vector<std::string_view>& all_wire_formats() {
  static const std::vector<std::string_view> formats = {"none",   "bf16",   "f16",
                                                        "f8e4m3", "f8e5m2", "int8"};
  return formats;
}

const std::vector<std::string_view>& all_transports() {
  static const std::vector<std::string_view> transports = {"auto", "inproc", "shm", "tcp"};
  return transports;
}

Collective parse_collective(std::string_view text) {
  std::vector<std::string_view> names;
  for (const Collective collective : all_collectives()) names.emplace_back(to_string(collective));
  one_of("collective", text, names);
  const auto found = std::find(names.begin(), names.end(), text);
  return all_collectives()[static_cast<std::size_t>(found - names.begin())];
}

DataType parse_type(std::string_view text) { return type_of(text).value(); }

std::vector<DataType> parse_types(std::string_view text) {
  const std::optional<DataType> type = type_of(text, "all");
  return type.has_value() ? std::vector{*type} : all_types();
}

std::string_view name_in_nccl_tests(DataType type) {
  return std::ranges::find(kTypeAliases, type, &Alias::type)->name;
}

std::string one_of(std::string_view what, std::string_view text,
                   const std::vector<std::string_view>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
    throw UsageError(
        fmt::format("unknown {} '{}', allowed: {}", what, text, fmt::join(allowed, ", ")));
  }
  return std::string(text);
}

}  // namespace rondo::tool
