#include "tools/rondo/bench/result.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rondo::tool {

std::string_view to_string(TimeOf time_of) {
  switch (time_of) {
    case TimeOf::kFirstRank: return "rank 0";
    case TimeOf::kMean: return "mean of the ranks";
    case TimeOf::kFastestRank: return "fastest rank";
    case TimeOf::kSlowestRank: break;
  }
  return "slowest rank";
}

double Overlap::percent() const {
  if (pure_us <= 0) return 0;
  return std::clamp(100 - (overall_us - compute_us) / pure_us * 100, 0.0, 100.0);
}

double BenchResult::algbw_gbps() const {
  return p50_us > 0 ? static_cast<double>(bytes) / (p50_us * 1e3) : 0;
}

double BenchResult::busbw_gbps() const { return algbw_gbps() * bus_factor(operation, ranks); }

void set_times(BenchResult& result, const std::vector<double>& times_us) {
  if (times_us.empty()) return;
  const auto count = static_cast<double>(times_us.size());
  const auto [least, most] = std::ranges::minmax(times_us);
  result.least_us = least;
  result.most_us = most;
  result.p50_us = percentile(times_us, 0.50);
  result.p99_us = percentile(times_us, 0.99);
  result.mean_us = std::accumulate(times_us.begin(), times_us.end(), 0.0) / count;
  double squares = 0;
  for (const double time : times_us) squares += (time - result.mean_us) * (time - result.mean_us);
  if (result.mean_us > 0) result.cv_percent = std::sqrt(squares / count) / result.mean_us * 100;
}

double bus_factor(const Operation& operation, int ranks) {
  if (operation.sends()) return 1;
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (operation.collective) {
    case Collective::kAllReduce: return 2 * others;
    case Collective::kAllGather:
    case Collective::kReduceScatter:
    case Collective::kGather:
    case Collective::kScatter:
    case Collective::kAllToAll: return others;
    case Collective::kReduce:
    case Collective::kBroadcast:
    case Collective::kBarrier: break;
  }
  return 1;
}

double percentile(std::vector<double> samples, double fraction) {
  if (samples.empty()) return 0;
  const auto rank = std::ceil(fraction * static_cast<double>(samples.size()));
  const auto index = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(samples.begin(), samples.begin() + index, samples.end());
  return samples[static_cast<std::size_t>(index)];
}

double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  std::ranges::sort(samples);
  const std::size_t middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

}  // namespace rondo::tool
