#include "collectives/communicator/timed_samples.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "collectives/communicator/timed_calls.h"

namespace rondo::communicator {

using algorithms::Algorithm;
using schedule::Collective;
using select::MeasuredTimes;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// What is between two sizes, and slower than a larger one by more than noise and than what some
/// algorithm's other way for longer calls may gain.
std::set<std::size_t> disturbed_sizes(const std::map<std::size_t, double>& fastest) {
  constexpr double kClearly = 1.25;
  std::set<std::size_t> disturbed;
  double least_us = std::numeric_limits<double>::infinity();
  for (auto size = fastest.rbegin(); size != fastest.rend(); ++size) {
    const bool is_first = std::next(size) == fastest.rend();
    if (!is_first && size->second > kClearly * least_us) disturbed.insert(size->first);
    least_us = std::min(least_us, size->second);
  }
  return disturbed;
}

}  // namespace

void TimedSamples::add(const Algorithm& algorithm, std::size_t bytes, std::size_t pass,
                       const std::vector<double>& times_us) {
  Timed& timed = timed_[{&algorithm, bytes}];
  for (std::vector<double>* const times : {&timed.times_us, &timed.by_pass[pass]})
    times->insert(times->end(), times_us.begin(), times_us.end());
}

double TimedSamples::best_pace(Collective collective, std::size_t bytes) const {
  std::map<std::size_t, std::vector<double>> ratios;
  for (const auto& [key, timed] : timed_) {
    if (key.first->collective != collective || key.second != bytes) continue;
    const double usual_us = median(timed.times_us);
    for (const auto& [pass, times_us] : timed.by_pass)
      ratios[pass].push_back(median(times_us) / usual_us);
  }
  double best = 1;
  for (auto& [pass, of_pass] : ratios) best = std::min(best, median(std::move(of_pass)));
  // What passes of the same machine differ by: to take the fastest of them for its pace would be to
  // take a median for a minimum.
  constexpr double kNoise = 1.5;
  return kNoise * best < 1 ? best : 1;
}

double TimedSamples::typical(const Algorithm& algorithm, std::size_t bytes) const {
  const auto found = timed_.find({&algorithm, bytes});
  if (found == timed_.end() || was_mostly_left_out(found->first)) return kUnknown;
  return median(found->second.times_us);
}

double TimedSamples::between(const Algorithm& algorithm, std::size_t bytes) const {
  const auto high = timed_.lower_bound({&algorithm, bytes + 1});
  if (high == timed_.end() || high->first.first != &algorithm || high == timed_.begin())
    return kUnknown;
  auto low = std::prev(high);
  if (low->first == Key{&algorithm, bytes} && low != timed_.begin()) --low;
  if (low->first.first != &algorithm) return kUnknown;
  if (was_mostly_left_out(low->first) || was_mostly_left_out(high->first)) return kUnknown;
  return std::sqrt(median(low->second.times_us) * median(high->second.times_us));
}

bool TimedSamples::was_mostly_left_out(const Key& key) const {
  std::size_t most = 0;
  for (const auto& [other, timed] : timed_) {
    if (other.first->collective == key.first->collective && other.second == key.second)
      most = std::max(most, timed.by_pass.size());
  }
  return 2 * timed_.at(key).by_pass.size() < most;
}

std::map<Collective, TimedSamples::Fastest> TimedSamples::fastest() const {
  std::map<Collective, Fastest> all;
  for (const auto& [key, timed] : timed_) {
    const double us = median(timed.times_us);
    const auto [least, is_new] = all[key.first->collective].try_emplace(key.second, us);
    if (!is_new) least->second = std::min(least->second, us);
  }
  return all;
}

/// How many times as long calls of that size took as by the sizes around it, in the median.
double TimedSamples::slowness(Collective collective, std::size_t bytes) const {
  std::vector<double> ratios;
  for (const auto& [key, timed] : timed_) {
    const auto& [algorithm, size] = key;
    if (algorithm->collective != collective || size != bytes) continue;
    const double ratio = typical(*algorithm, bytes) / between(*algorithm, bytes);
    if (std::isfinite(ratio) && ratio > 0) ratios.push_back(ratio);
  }
  return ratios.empty() ? 1 : median(std::move(ratios));
}

double TimedSamples::told_by_others(const Algorithm& algorithm, std::size_t bytes) const {
  if (timed_.contains({&algorithm, bytes})) return kUnknown;
  return between(algorithm, bytes) * slowness(algorithm.collective, bytes);
}

TimedSamples TimedSamples::at_best_pace() const {
  std::map<std::pair<Collective, std::size_t>, double> paces;
  TimedSamples fast;
  for (const auto& [key, timed] : timed_) {
    const auto& [algorithm, bytes] = key;
    const auto [pace, is_new] = paces.try_emplace({algorithm->collective, bytes});
    if (is_new) pace->second = best_pace(algorithm->collective, bytes);
    for (auto [pass, times_us] : timed.by_pass) {
      for (double& us : times_us) us *= pace->second;
      fast.add(*algorithm, bytes, pass, times_us);
    }
  }
  return fast;
}

std::vector<MeasuredTimes> TimedSamples::medians(MemoryKind memory) const {
  return at_best_pace().known_medians(memory);
}

std::vector<MeasuredTimes> TimedSamples::known_medians(MemoryKind memory) const {
  const auto fastest_of = fastest();
  std::vector<MeasuredTimes> list;
  for (auto next = timed_.begin(); next != timed_.end();) {
    const Algorithm& algorithm = *next->first.first;
    const Fastest& sizes = fastest_of.at(algorithm.collective);
    const std::set<std::size_t> disturbed = disturbed_sizes(sizes);
    MeasuredTimes times{.collective = algorithm.collective,
                        .algorithm = std::string(algorithm.name),
                        .memory = memory,
                        .points = {}};
    for (const auto& [bytes, least_us] : sizes) {
      double us = typical(algorithm, bytes);
      if (us == kUnknown && memory == MemoryKind::kOrdinary) us = told_by_others(algorithm, bytes);
      if (us != kUnknown && !disturbed.contains(bytes))
        times.points.push_back({.bytes = bytes, .us = us});
    }
    if (!times.points.empty()) list.push_back(std::move(times));
    next = timed_.upper_bound({&algorithm, std::numeric_limits<std::size_t>::max()});
  }
  return list;
}

}  // namespace rondo::communicator
