#include "collectives/execute/host/other_cores.h"

#include <algorithm>
#include <numeric>

namespace rondo::execute {
namespace {

/// A turn of a core is about as long: whoever isn't here by then has lost his core to somebody
/// else.
constexpr double kPatienceNs = 1000;

}  // namespace

OtherCores::OtherCores(std::size_t peers, double ns_per_tick)
    : patience_(static_cast<Ticks>(kPatienceNs / ns_per_tick)), peers_(peers), order_(peers) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

bool OtherCores::is_worth_waiting_for(std::size_t peer) {
  Peer& state = peers_[peer];
  if (state.waits_left > 0) return true;
  if (--state.until_trial > 0) return false;
  state.until_trial = state.period;
  return true;
}

void OtherCores::waited_for(std::size_t peer, bool has_come) {
  Peer& state = peers_[peer];
  const bool was_elsewhere = state.waits_left > 0;
  if (has_come) {
    state.waits_left = kWaitsInVain;
    state.period = state.until_trial = kShortestPeriod;
  } else if (was_elsewhere) {
    --state.waits_left;
  } else {
    state.until_trial = state.period = std::min(2 * state.period, kLongestPeriod);
  }
  has_changed_ |= was_elsewhere != (state.waits_left > 0);
}

/// By rank among themselves; in the memory that there is, as calls allocate none.
void OtherCores::sort() {
  std::size_t next = 0;
  for (const bool elsewhere : {false, true}) {
    for (std::size_t peer = 0; peer < peers_.size(); ++peer)
      if ((peers_[peer].waits_left > 0) == elsewhere) order_[next++] = peer;
  }
  has_changed_ = false;
}

}  // namespace rondo::execute
