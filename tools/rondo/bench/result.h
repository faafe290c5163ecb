#pragma once

// One measured point, and the arithmetic from times to bandwidths. Bandwidths and the sizes they
// are taken from are defined as in nccl-tests' doc/PERFORMANCE.md; GB is 1e9 bytes.
// Threads: any.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rondo/types.h"
#include "tools/rondo/bench/names.h"

namespace rondo::tool {

struct BenchResult {
  Collective collective = Collective::kAllReduce;
  std::uint64_t bytes = 0;  ///< S of the bandwidths: of a gather or scatter, all ranks' parts
  std::size_t count = 0;    ///< elements that one rank passes
  DataType type = DataType::kF32;
  ReduceOp op = ReduceOp::kSum;
  int root = 0;
  int ranks = 1;
  std::string transport;
  std::string algorithm;
  std::string wire_format = "none";
  std::string buffers;
  bool in_place = false;
  double p50_us = 0;
  double p99_us = 0;
  std::optional<std::uint64_t> wrong;  ///< elements on all ranks; nothing: not checked, or rounded

  double algbw_gbps() const;
  double busbw_gbps() const;
};

/// busbw / algbw: the share of S that each link has to carry.
double bus_factor(Collective collective, int ranks);

/// The smallest of `samples` that at least `fraction` of them don't exceed; 0 without samples.
double percentile(std::vector<double> samples, double fraction);

}  // namespace rondo::tool
