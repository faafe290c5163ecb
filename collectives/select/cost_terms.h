#pragma once

// What each algorithm costs: the terms of Hockney's model by the formula in its file's top comment.
// Volumes count what moves through one rank's link or, in shared memory, what one core reads and
// writes; where links differ, through the slowest one.

#include <cstddef>

#include "collectives/select/select.h"

namespace rondo::select {

/// steps * alpha + volume * bytes * beta, and the same for links inside a host where an algorithm
/// treats those apart.
struct CostTerms {
  double steps = 0;
  double volume = 0;
  double steps_inside = 0;
  double volume_inside = 0;
  /// Messages that a rank sends over the network, on average: each takes a core at either end.
  double messages = 0;
};

/// Of an algorithm without a formula: twice the bytes in two steps for each rank.
CostTerms cost_terms(const algorithms::Algorithm& algorithm, const Layout& layout,
                     std::size_t bytes);

}  // namespace rondo::select
