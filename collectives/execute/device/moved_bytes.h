#pragma once

// What a plan moves between devices: its host's endpoints see notices alone.

#include <cstdint>
#include <vector>

#include "collectives/execute/host/plan.h"

namespace rondo::execute {

struct MovedBytes {
  int peer = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

/// Of one run of the plan, by peer; whatever the way, as many as its messages have. Of peers on
/// other hosts only `between_hosts`: where their bytes don't go through the endpoints, which count
/// them. Pure.
std::vector<MovedBytes> moved_bytes(const Plan& plan, bool between_hosts);

}  // namespace rondo::execute
