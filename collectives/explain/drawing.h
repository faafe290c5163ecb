#pragma once

// A predicted run as a drawing: time from left to right, a line for each rank, boxes where its core
// works, and a line from sender to receiver for every message. Pure.

#include <string>
#include <string_view>

#include "collectives/explain/scenario.h"
#include "collectives/simulate/simulate.h"

namespace rondo::explain {

/// Of what was simulated rank by rank (Options::fold off, record on).
std::string draw(const Scenario& scenario, std::string_view algorithm,
                 const simulate::Prediction& prediction);

/// What can still be told apart on a screen.
inline constexpr int kMostRanksDrawn = 64;
inline constexpr std::size_t kMostSpansDrawn = 10'000;

}  // namespace rondo::explain
