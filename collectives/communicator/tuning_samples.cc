#include "collectives/communicator/tuning_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "collectives/communicator/timed_calls.h"
#include "collectives/communicator/timed_samples.h"
#include "collectives/communicator/tuning_passes.h"
#include "collectives/communicator/tuning_registered.h"

namespace rondo::communicator {
namespace {

using algorithms::Algorithm;
using select::MeasuredTimes;

/// From here on algorithms that are this much slower than the fastest are left out; of sizes that
/// take long, sooner.
constexpr std::size_t kLongCall = std::size_t{64} << 10;
constexpr double kHopeless = 3;
constexpr double kHopelessWhereLong = 1.75;
/// Where links are slow, larger sizes tell no more: they take so much longer.
constexpr double kLongEnoughUs = 15'000;
/// What else the machine does comes and goes: all sizes are gone through so often, that each has
/// its share of it. Before that a pass that doesn't count, in which channels touch their memory.
constexpr std::size_t kPasses = 5;
/// From this one on the sizes between are measured as well.
constexpr std::size_t kFirstPassBetween = 2;
/// Ranks that have just begun to run are slower.
constexpr int kBarriersBefore = 500;

void leave_out_hopeless(std::vector<const Algorithm*>& algorithms,
                        const std::vector<double>& times) {
  const double least = *std::ranges::min_element(times);
  const double hopeless = least > kLongUs ? kHopelessWhereLong : kHopeless;
  std::vector<const Algorithm*> left;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    if (times[i] <= hopeless * least) left.push_back(algorithms[i]);
  }
  algorithms = std::move(left);
}

/// One pass over one collective.
Status measure_sizes(std::size_t pass, TimedCalls& calls, std::vector<const Algorithm*> algorithms,
                     TimedSamples& samples) {
  TimedSamples not_counted;
  std::size_t last = static_cast<std::size_t>(-1);
  double least_us = 0;
  const double most_us = pass == 0 ? kLongUs : kLongEnoughUs;
  for (const std::size_t size : kSizes) {
    const std::size_t bytes = calls.bytes_of(algorithms.front()->collective, size);
    if (bytes == last || least_us > most_us) continue;
    last = bytes;
    const int rounds = pass == 0 ? 1 : rounds_for(bytes, least_us);
    RONDO_ASSIGN(const auto times, measure(calls, bytes, algorithms, rounds, {pass, kPasses},
                                           pass == 0 ? not_counted : samples));
    least_us = *std::ranges::min_element(times);
    if (bytes >= kLongCall) leave_out_hopeless(algorithms, times);
  }
  return {};
}

/// Of one collective's algorithms, by what earlier passes have measured.
Status measure_close_ones(const Pass& pass, TimedCalls& calls,
                          const std::vector<const Algorithm*>& algorithms, TimedSamples& samples) {
  std::size_t last = 0;
  for (const std::size_t size : kSizesBetween) {
    const std::size_t bytes = calls.bytes_of(algorithms.front()->collective, size);
    double least_us = std::numeric_limits<double>::infinity();
    for (const Algorithm* algorithm : algorithms)
      least_us = std::min(least_us, samples.between(*algorithm, bytes));
    std::vector<const Algorithm*> close;
    for (const Algorithm* algorithm : algorithms) {
      if (samples.between(*algorithm, bytes) <= kClose * least_us && std::isfinite(least_us))
        close.push_back(algorithm);
    }
    if (close.size() < 2 || bytes == last) continue;
    last = bytes;
    RONDO_TRY(measure(calls, bytes, close, rounds_for(bytes, least_us), pass, samples).status());
  }
  return {};
}

/// Without the sizes between.
std::vector<MeasuredTimes> evenly_spread(const TimedCalls& calls, std::vector<MeasuredTimes> all) {
  for (MeasuredTimes& times : all) {
    std::erase_if(times.points, [&](const MeasuredTimes::Point& point) {
      return std::ranges::none_of(kSizes, [&](std::size_t size) {
        return calls.bytes_of(times.collective, size) == point.bytes;
      });
    });
  }
  return all;
}

/// Its memory goes before registered memory is asked for.
Result<TuningSamples> measure_ordinary(Engine& engine, TimedSamples& samples) {
  TimedCalls calls(engine);
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    for (const auto& [collective, algorithms] : by_collective()) {
      RONDO_TRY(measure_sizes(pass, calls, algorithms, samples));
      if (pass < kFirstPassBetween) continue;
      RONDO_TRY(measure_close_ones({pass - kFirstPassBetween, kPasses - kFirstPassBetween}, calls,
                                   algorithms, samples));
    }
  }
  std::vector<MeasuredTimes> all = samples.medians();
  std::vector<MeasuredTimes> evenly = evenly_spread(calls, all);
  return TuningSamples{.evenly = std::move(evenly), .all = std::move(all)};
}

}  // namespace

Result<TuningSamples> measure_algorithms(Engine& engine) {
  for (int i = 0; i < kBarriersBefore; ++i) RONDO_TRY(engine.call({}));
  TimedSamples ordinary;
  RONDO_ASSIGN(TuningSamples samples, measure_ordinary(engine, ordinary));
  RONDO_ASSIGN(samples.registered, measure_registered(engine, ordinary));
  return samples;
}

}  // namespace rondo::communicator
