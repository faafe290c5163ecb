#pragma once

// A predicted run as a drawing: time from left to right, a line for each rank, boxes where its core
// works, and a line from sender to receiver for every message. Pure.

#include <string>
#include <string_view>

#include "collectives/explain/scenario.h"
#include "collectives/simulate/simulate.h"

namespace rondo::explain {

/// Simulated rank by rank, in longer pieces where there would be more than can be told apart. Its
/// end and its spans are with the tuning's correction, as if all of it took longer alike.
/// `algorithm`: null for the one that the user has written. Errors: as schedules_of; Unsupported: a
/// schedule of too many steps.
Result<simulate::Prediction> predict_to_draw(const Scenario& scenario,
                                             const algorithms::Algorithm* algorithm);

/// Of what was predicted so.
std::string draw(const Scenario& scenario, std::string_view algorithm,
                 const simulate::Prediction& prediction);

/// What can still be told apart on a screen.
inline constexpr int kMostRanksDrawn = 64;
inline constexpr std::size_t kMostSpansDrawn = 10'000;

}  // namespace rondo::explain
