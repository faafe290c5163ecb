#include "tools/rondo/bench/result.h"

#include <algorithm>
#include <cmath>

namespace rondo::tool {

double BenchResult::algbw_gbps() const {
  return p50_us > 0 ? static_cast<double>(bytes) / (p50_us * 1e3) : 0;
}

double BenchResult::busbw_gbps() const { return algbw_gbps() * bus_factor(collective, ranks); }

double bus_factor(Collective collective, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (collective) {
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

}  // namespace rondo::tool
