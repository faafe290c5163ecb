#pragma once

// One measured point, and the arithmetic from times to bandwidths. Bandwidths and the sizes they
// are taken from are defined as in nccl-tests' doc/PERFORMANCE.md; GB is 1e9 bytes.
// Threads: any.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rondo/types.h"
#include "tools/rondo/bench/bench_op.h"
#include "tools/rondo/bench/operation.h"

namespace rondo::tool {

/// Whose time a call's is, numbered as in nccl-tests' -a.
enum class TimeOf : std::uint8_t { kFirstRank, kMean, kFastestRank, kSlowestRank };

/// "rank 0", "mean of the ranks", "fastest rank", "slowest rank"
std::string_view to_string(TimeOf time_of);

/// How much of a started call goes on beside what its rank computes, as OSU's benchmarks of
/// non-blocking collectives define it.
struct Overlap {
  double pure_us = 0;     ///< start and wait, nothing between them
  double compute_us = 0;  ///< about as long, without a call
  double overall_us = 0;  ///< start, compute, wait

  /// 100: the call cost nothing but what was computed; 0: it took place before or after that.
  double percent() const;
};

struct BenchResult {
  Operation operation = Collective::kAllReduce;
  std::uint64_t bytes = 0;  ///< S of the bandwidths: of a gather or scatter, all ranks' parts
  std::size_t count = 0;    ///< of elements; where ranks have parts, of one part (the mean)
  DataType type = DataType::kF32;
  BenchOp op = ReduceOp::kSum;
  int root = 0;
  int ranks = 1;
  std::string transport;
  std::string algorithm;
  std::string wire_format = "none";
  std::string buffers;
  bool in_place = false;
  TimeOf time_of = TimeOf::kSlowestRank;
  int calls = 1;  ///< started together, of which a time is one's share
  /// Of one call alone, by what its algorithm was chosen by; 0: nothing is predicted of it.
  double predicted_us = 0;
  double p50_us = 0;
  double p99_us = 0;
  double mean_us = 0;
  double least_us = 0;
  double most_us = 0;
  double cv_percent = 0;           ///< of the times: standard deviation / mean
  std::vector<double> times_us{};  ///< of each call, where they were asked for
  std::optional<Overlap> overlap{};
  int cycle = 0;                       ///< of -N, from 0
  std::optional<std::uint64_t> wrong;  ///< elements on all ranks; nothing: not checked, or rounded

  double algbw_gbps() const;
  double busbw_gbps() const;
};

/// Fills in all that follows from the times of the calls.
void set_times(BenchResult& result, const std::vector<double>& times_us);

/// busbw / algbw: the share of S that each link has to carry.
double bus_factor(const Operation& operation, int ranks);

/// The smallest of `samples` that at least `fraction` of them don't exceed; 0 without samples.
double percentile(std::vector<double> samples, double fraction);
/// Of an even number the mean of the two in the middle; 0 without samples.
double median(std::vector<double> samples);

}  // namespace rondo::tool
