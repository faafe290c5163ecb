#include "collectives/communicator/tuning_samples.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "collectives/communicator/timed_calls.h"

namespace rondo::communicator {
namespace {

using algorithms::Algorithm;
using schedule::Collective;
using select::MeasuredTimes;

/// Closer where algorithms take other ways: beyond what a bulletin holds.
constexpr std::size_t kSizes[] = {64,        1 << 10,   2 << 10,    8 << 10,    32 << 10,
                                  128 << 10, 512 << 10, 2048 << 10, 8192 << 10, 32768 << 10};
/// From here on algorithms that are this much slower than the fastest are left out.
constexpr std::size_t kLongCall = std::size_t{64} << 10;
constexpr double kHopeless = 3;
/// Where links are slow, larger sizes tell no more: they take so much longer.
constexpr double kLongEnoughUs = 50'000;
/// What else the machine does comes and goes: everything is measured, and then once more. Before
/// that a pass that doesn't count, in which channels touch their memory for the first time.
constexpr int kPasses = 3;
/// Ranks that have just begun to run are slower.
constexpr int kBarriersBefore = 500;

int rounds_for(int pass, std::size_t bytes, double last_us) {
  if (pass == 0) return 1;
  if (last_us > kLongEnoughUs / 10) return 2;
  return bytes <= (std::size_t{64} << 10) ? 12 : bytes <= (std::size_t{1} << 20) ? 6 : 3;
}

/// What calls took, by algorithm (in the order of the registry) and bytes.
using Samples = std::map<std::pair<const Algorithm*, std::size_t>, std::vector<double>>;

std::map<Collective, std::vector<const Algorithm*>> by_collective() {
  std::map<Collective, std::vector<const Algorithm*>> algorithms;
  for (const Algorithm& algorithm : algorithms::all())
    algorithms[algorithm.collective].push_back(&algorithm);
  return algorithms;
}

void leave_out_hopeless(std::vector<const Algorithm*>& algorithms,
                        const std::vector<double>& times) {
  const double least = *std::ranges::min_element(times);
  std::vector<const Algorithm*> left;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    if (times[i] <= kHopeless * least) left.push_back(algorithms[i]);
  }
  algorithms = std::move(left);
}

/// One pass over one collective.
Status measure_sizes(int pass, TimedCalls& calls, std::vector<const Algorithm*> algorithms,
                     Samples& samples) {
  std::size_t last = static_cast<std::size_t>(-1);
  double least_us = 0;
  for (const std::size_t size : kSizes) {
    const std::size_t bytes = calls.bytes_of(algorithms.front()->collective, size);
    if (bytes == last || least_us > kLongEnoughUs) continue;
    last = bytes;
    RONDO_ASSIGN(const auto rounds,
                 calls.run(bytes, algorithms, rounds_for(pass, bytes, least_us)));
    std::vector<double> times;
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      times.push_back(median(rounds[i]));
      if (pass == 0) continue;
      std::vector<double>& all = samples[{algorithms[i], bytes}];
      all.insert(all.end(), rounds[i].begin(), rounds[i].end());
    }
    least_us = *std::ranges::min_element(times);
    if (bytes >= kLongCall) leave_out_hopeless(algorithms, times);
  }
  return {};
}

}  // namespace

Result<std::vector<MeasuredTimes>> measure_algorithms(Engine& engine) {
  for (int i = 0; i < kBarriersBefore; ++i) RONDO_TRY(engine.call({}));
  TimedCalls calls(engine);
  Samples samples;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (const auto& [collective, algorithms] : by_collective())
      RONDO_TRY(measure_sizes(pass, calls, algorithms, samples));
  }
  std::vector<MeasuredTimes> list;
  for (auto& [key, times] : samples) {
    const auto& [algorithm, bytes] = key;
    const bool is_new = list.empty() || list.back().algorithm != algorithm->name ||
                        list.back().collective != algorithm->collective;
    if (is_new) {
      list.push_back({.collective = algorithm->collective,
                      .algorithm = std::string(algorithm->name),
                      .points = {}});
    }
    list.back().points.push_back({.bytes = bytes, .us = median(std::move(times))});
  }
  return list;
}

}  // namespace rondo::communicator
