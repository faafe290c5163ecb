#pragma once

// Where one rank's input and output of one call lie: counts and offsets in elements.
// Threads: any.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rondo/types.h"
#include "tools/rondo/bench/bench_op.h"
#include "tools/rondo/bench/operation.h"

namespace rondo::tool {

/// One line of the table, one form: what to measure.
struct CallSpec {
  Operation operation = Collective::kAllReduce;
  DataType type = DataType::kF32;
  BenchOp op = ReduceOp::kSum;
  int root = 0;
  std::uint64_t bytes = 0;  ///< size asked for; rounded down to whole elements of every rank
  bool in_place = false;
  std::size_t first_element = 0;  ///< where buffers begin, counted from the begin of a page
};

struct Region {
  std::size_t first = 0;
  std::size_t count = 0;
};

struct Layout {
  std::uint64_t bytes = 0;  ///< S of the bandwidths
  std::size_t count = 0;    ///< the table's count: of all elements, or of a part (the mean one)
  Region input;             ///< in place: in the same memory as the output
  Region output;
};

/// Parts: parts_of and row_of of the elements that `spec.bytes` holds.
Layout layout_of(const CallSpec& spec, int world, int rank);
std::vector<std::size_t> parts_of(const CallSpec& spec, int world);

}  // namespace rondo::tool
