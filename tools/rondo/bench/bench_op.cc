#include "tools/rondo/bench/bench_op.h"

#include <algorithm>

#include "core/dtype.h"
#include "tools/rondo/bench/names.h"

namespace rondo::tool {

BenchOp BenchOp::mulsum() {
  BenchOp op(ReduceOp::kSum);
  op.premultiplied = true;
  return op;
}

std::string_view to_string(const BenchOp& op) {
  return op.premultiplied ? "mulsum" : to_string(op.op);
}

const std::vector<BenchOp>& all_bench_ops() {
  static const std::vector<BenchOp> ops = [] {
    std::vector<BenchOp> all(all_ops().begin(), all_ops().end());
    all.push_back(BenchOp::mulsum());
    return all;
  }();
  return ops;
}

std::vector<BenchOp> parse_ops(std::string_view text) {
  if (text == "premultiplied_sum") return {BenchOp::mulsum()};
  std::vector<std::string_view> names;
  for (const BenchOp& op : all_bench_ops()) names.push_back(to_string(op));
  names.emplace_back("all");
  one_of("op", text, names);
  if (text == "all") return all_bench_ops();
  const auto named = [text](const BenchOp& op) { return text == to_string(op); };
  return {*std::ranges::find_if(all_bench_ops(), named)};
}

bool is_combined_by(DataType type, const BenchOp& op) {
  return op.premultiplied ? !is_integer(type) : is_combined_by(type, op.op);
}

std::int64_t divisor_of(int rank) { return std::int64_t{2} << rank % 3; }

Reduction reduction_of(const BenchOp& op, int rank) {
  if (!op.premultiplied) return op.op;
  return Reduction::premultiplied_sum(1.0 / static_cast<double>(divisor_of(rank)));
}

}  // namespace rondo::tool
