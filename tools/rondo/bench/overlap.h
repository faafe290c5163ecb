#pragma once

// How much of a started call is hidden behind what its rank computes meanwhile, measured as OSU's
// benchmarks of non-blocking collectives do: the call alone (start, wait), a computation that takes
// as long, and both at once (start, compute, wait). Each time is that of the slowest rank, and the
// median of the iterations.
// Source: OSU Micro-Benchmarks, osu_iallreduce and its kin.
// Threads: one per object.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "rondo/communicator.h"
#include "tools/rondo/bench/result.h"

namespace rondo::tool {

class OverlapMeasurement {
 public:
  /// `calls` are started together. `prepare` runs before them every time, untimed.
  OverlapMeasurement(Communicator& communicator, std::vector<Call> calls,
                     std::function<void()> prepare)
      : communicator_(communicator), calls_(std::move(calls)), prepare_(std::move(prepare)) {}

  /// Called by every rank; every rank gets the same times. Throws rondo::Error.
  Overlap run(int iterations, int warmup);

 private:
  /// The median of the slowest ranks' times of `work`; a call is prepared where it makes one.
  double median_us(int iterations, const std::function<void()>& work, bool calls);

  void start();
  void wait();

  Communicator& communicator_;
  const std::vector<Call> calls_;
  const std::function<void()> prepare_;
  std::vector<Work> works_{};
};

/// Arithmetic whose steps wait for each other, in no memory: it takes as long as its steps are
/// many.
void compute(std::uint64_t steps);
/// The steps that take about `time_us` on this core.
std::uint64_t steps_that_take(double time_us);

}  // namespace rondo::tool
