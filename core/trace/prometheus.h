#pragma once

// Totals as text in the format that Prometheus reads. Threads: any.
// Source: "Exposition formats", prometheus.io (text format 0.0.4).

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/series.h"

namespace rondo::trace {

/// What one rank has exchanged with one peer, and how long it has waited for it.
struct PeerTotals {
  int peer = 0;
  std::string transport;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  double wait_seconds = 0;
};

/// Every sample has the labels `rank` and `job`.
std::string prometheus_text(int rank, const std::string& job,
                            const std::vector<const Series*>& series,
                            const std::vector<PeerTotals>& peers, double ns_per_tick);

}  // namespace rondo::trace
