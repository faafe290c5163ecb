#include "tools/rondo/bench/overlap.h"

#include <algorithm>
#include <vector>

#include "tools/rondo/bench/stopwatch.h"

namespace rondo::tool {
namespace {

double time_of_compute_us(std::uint64_t steps) {
  const Clock::time_point start = Clock::now();
  compute(steps);
  return us_since(start);
}

}  // namespace

void compute(std::uint64_t steps) {
  double value = 1;
  for (std::uint64_t i = 0; i < steps; ++i) {
    value = value * 0.999 + 0.001;
    // Keeps the compiler from working the end out.
    asm volatile("" : : "g"(&value) : "memory");
  }
}

std::uint64_t steps_that_take(double time_us) {
  constexpr double kLongEnoughUs = 200;
  std::uint64_t steps = 1024;
  // The fastest of three: a rank that was put off its core meanwhile looks slower than it is.
  const auto fastest_us = [&steps] {
    return std::min(
        {time_of_compute_us(steps), time_of_compute_us(steps), time_of_compute_us(steps)});
  };
  double taken_us = fastest_us();
  while (taken_us < kLongEnoughUs) {
    steps *= 2;
    taken_us = fastest_us();
  }
  const double wanted = static_cast<double>(steps) * time_us / taken_us;
  return static_cast<std::uint64_t>(std::max(wanted, 1.0));
}

Overlap OverlapMeasurement::run(int iterations, int warmup) {
  const auto pure = [this] {
    start();
    wait();
  };
  for (int i = 0; i < warmup; ++i) {
    prepare_();
    pure();
  }
  Overlap overlap;
  overlap.pure_us = median_us(iterations, pure, true);
  const std::uint64_t steps = steps_that_take(overlap.pure_us);
  overlap.compute_us = median_us(
      iterations, [steps] { compute(steps); }, false);
  overlap.overall_us = median_us(
      iterations,
      [this, steps] {
        start();
        compute(steps);
        wait();
      },
      true);
  return overlap;
}

void OverlapMeasurement::start() {
  works_.clear();
  for (const Call& call : calls_) works_.push_back(communicator_.start(call));
}

void OverlapMeasurement::wait() {
  for (Work& work : works_) work.wait();
}

double OverlapMeasurement::median_us(int iterations, const std::function<void()>& work,
                                     bool calls) {
  std::vector<double> times_us;
  for (int i = 0; i < iterations; ++i) {
    if (calls) prepare_();
    communicator_.barrier();
    const Clock::time_point start = Clock::now();
    work();
    times_us.push_back(us_since(start));
  }
  communicator_.all_reduce({times_us.data(), times_us.size(), DataType::kF64}, ReduceOp::kMax);
  return percentile(times_us, 0.50);
}

}  // namespace rondo::tool
