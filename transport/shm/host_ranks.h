#pragma once

// The ranks of one host, and each one's place among them: so a rank finds its own part of what a
// peer shares, and nobody shares anything for ranks of other hosts.
// Threads: any, after construction.

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace rondo::transport {

class HostRanks {
 public:
  /// `ranks` in ascending order; none: all of a world of `world`.
  HostRanks(std::span<const int> ranks, int world) : ranks_(ranks.begin(), ranks.end()) {
    if (!ranks.empty()) return;
    ranks_.resize(static_cast<std::size_t>(world));
    std::iota(ranks_.begin(), ranks_.end(), 0);
  }

  int count() const { return static_cast<int>(ranks_.size()); }
  /// Nothing for a rank of another host.
  std::optional<int> index_of(int rank) const {
    const auto found = std::ranges::lower_bound(ranks_, rank);
    if (found == ranks_.end() || *found != rank) return std::nullopt;
    return static_cast<int>(found - ranks_.begin());
  }

 private:
  std::vector<int> ranks_;
};

}  // namespace rondo::transport
