#include "collectives/execute/device/moved_bytes.h"

#include <cstddef>
#include <map>
#include <span>

namespace rondo::execute {
namespace {

/// By peer.
using Sums = std::map<int, MovedBytes>;

void add(Sums& sums, std::span<const BoundPort> ports, std::span<const Channel> channels,
         std::size_t bytes, std::uint64_t MovedBytes::*way) {
  for (const BoundPort& port : ports) {
    if (port.is_channel) sums[channels[port.channel].endpoint->peer()].*way += bytes;
  }
}

bool is_counted_there(const transport::Endpoint& endpoint) {
  return endpoint.kind() == transport::TransportKind::kTcp;
}

}  // namespace

std::vector<MovedBytes> moved_bytes(const Plan& plan, bool between_hosts) {
  Sums sums;
  for (const std::vector<BoundSweep>& sweeps : plan.lanes()) {
    for (const BoundSweep& sweep : sweeps) {
      add(sums, sweep.targets, plan.senders(), sweep.bytes, &MovedBytes::sent);
      add(sums, sweep.sources, plan.receivers(), sweep.bytes, &MovedBytes::received);
    }
  }
  std::vector<MovedBytes> list;
  for (const transport::Endpoint* const endpoint : plan.endpoints()) {
    if (is_counted_there(*endpoint) && !between_hosts) continue;
    MovedBytes moved = sums[endpoint->peer()];
    moved.peer = endpoint->peer();
    list.push_back(moved);
  }
  return list;
}

}  // namespace rondo::execute
