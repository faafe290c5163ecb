#pragma once

// What reducing collectives are measured with: the built-in ops, and the premultiplied sum, which
// nccl-tests calls mulsum: every rank's input times a factor of its own, added up.
// Threads: any.

#include <cstdint>
#include <string_view>
#include <vector>

#include "rondo/reduction.h"
#include "rondo/types.h"

namespace rondo::tool {

struct BenchOp {
  // NOLINTNEXTLINE(google-explicit-constructor): a built-in op is one
  BenchOp(ReduceOp built_in) : op(built_in) {}
  static BenchOp mulsum();

  bool operator==(const BenchOp&) const = default;

  ReduceOp op;  ///< by which elements, premultiplied or not, are combined
  bool premultiplied = false;
};

/// "sum", ..., "mulsum"
std::string_view to_string(const BenchOp& op);
/// The built-in ops, then mulsum.
const std::vector<BenchOp>& all_bench_ops();
/// "sum", ..., "mulsum" or "premultiplied_sum", or "all". Errors: UsageError.
std::vector<BenchOp> parse_ops(std::string_view text);
/// Whether elements of `type` are combined by it: bitwise ops are of integers, mulsum of floats.
bool is_combined_by(DataType type, const BenchOp& op);

/// Mulsum: 1 / the factor of `rank`, a power of two, so that its products are exact.
std::int64_t divisor_of(int rank);
/// What `rank` hands to the communicator.
Reduction reduction_of(const BenchOp& op, int rank);

}  // namespace rondo::tool
