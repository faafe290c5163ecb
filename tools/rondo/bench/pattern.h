#pragma once

// What ranks put into their buffers, and what must come out: small whole numbers that differ by
// rank, place and call, whose sums, products and averages are exact in every type and in any order
// (but for one rounding of a 16-bit average, which is known), so results are compared bit by bit.
//
// The numbers repeat every kPeriod elements. A prime, so that no chunk, segment or vector is a
// multiple of it and data that ends up in another place shows.
// Threads: any.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rondo/types.h"
#include "tools/rondo/bench/bench_op.h"

namespace rondo::tool {

inline constexpr std::size_t kPeriod = 1009;

/// One period of elements of `type`.
struct Pattern {
  DataType type = DataType::kF32;
  std::vector<std::byte> bytes;
};

/// What `rank` of `world` contributes to call number `salt` when `op` combines it. Of mulsum, what
/// it multiplies by its factor: the products are the inputs of a sum.
Pattern input_pattern(DataType type, const BenchOp& op, int rank, int world, std::uint64_t salt);
/// All ranks' inputs combined. The type is one that is combined by `op`.
Pattern reduced_pattern(DataType type, const BenchOp& op, int world, std::uint64_t salt);

/// Writes `count` elements; the first one is number `first` of the pattern.
void write_pattern(const Pattern& pattern, void* target, std::size_t count, std::size_t first);
/// How many of `count` elements aren't the pattern's.
std::uint64_t count_wrong(const Pattern& pattern, const void* data, std::size_t count,
                          std::size_t first);

}  // namespace rondo::tool
