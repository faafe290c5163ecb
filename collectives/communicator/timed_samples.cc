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

void TimedSamples::add(const Algorithm& algorithm, std::size_t bytes,
                       const std::vector<double>& times_us) {
  Timed& timed = timed_[{&algorithm, bytes}];
  timed.times_us.insert(timed.times_us.end(), times_us.begin(), times_us.end());
  ++timed.passes;
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
      most = std::max(most, timed.passes);
  }
  return 2 * timed_.at(key).passes < most;
}

std::map<schedule::Collective, TimedSamples::Fastest> TimedSamples::fastest() const {
  std::map<schedule::Collective, Fastest> all;
  for (const auto& [key, timed] : timed_) {
    const double us = median(timed.times_us);
    const auto [least, is_new] = all[key.first->collective].try_emplace(key.second, us);
    if (!is_new) least->second = std::min(least->second, us);
  }
  return all;
}

std::vector<MeasuredTimes> TimedSamples::medians(MemoryKind memory) const {
  std::map<schedule::Collective, std::set<std::size_t>> disturbed;
  for (const auto& [collective, times] : fastest()) disturbed[collective] = disturbed_sizes(times);
  std::vector<MeasuredTimes> list;
  for (const auto& [key, timed] : timed_) {
    const auto& [algorithm, bytes] = key;
    if (was_mostly_left_out(key) || disturbed[algorithm->collective].contains(bytes)) continue;
    const bool is_new = list.empty() || list.back().algorithm != algorithm->name ||
                        list.back().collective != algorithm->collective;
    if (is_new) {
      list.push_back({.collective = algorithm->collective,
                      .algorithm = std::string(algorithm->name),
                      .memory = memory,
                      .points = {}});
    }
    list.back().points.push_back({.bytes = bytes, .us = median(timed.times_us)});
  }
  return list;
}

}  // namespace rondo::communicator
