#pragma once

// How much is looked at of a world, by what its proof costs.

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fold.h"
#include "rondo/schedules.h"

namespace rondo::verify {

/// What is looked at of a world.
enum class Depth : std::uint8_t {
  kThorough,  ///< plain and fused, small data and large, all layouts, many roots
  kChosen,    ///< fused, small data, one root
  kValues,    ///< the same, but for the rules about memory
};

/// Of algorithms::all(), in order: twice the world has about four times the ops, rather than twice.
const std::vector<bool>& are_quadratic();

/// Nothing: the world is left out.
std::optional<Depth> depth_of(int world, Coverage coverage, bool quadratic);

/// Builds what `request` asks for, for any rank.
schedule::BuildSchedule builder_of(const algorithms::Algorithm& algorithm,
                                   const schedule::Request& request);

}  // namespace rondo::verify
