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

struct Costs {
  bool quadratic = false;  ///< twice the world has about four times the ops, rather than twice
  bool rotates = false;
};
/// Of algorithms::all(), in order.
const std::vector<Costs>& costs();

/// Nothing: the world is left out.
std::optional<Depth> depth_of(int world, Coverage coverage, const Costs& cost);

/// Builds what `request` asks for, for any rank.
schedule::BuildSchedule builder_of(const algorithms::Algorithm& algorithm,
                                   const schedule::Request& request);

}  // namespace rondo::verify
