#pragma once

// From what was measured to a tuning; rank 0's part.

#include <vector>

#include "collectives/communicator/place.h"
#include "collectives/select/tuning.h"

namespace rondo::communicator {

/// The hosts as this communicator has them, with constants to begin with.
simulate::Network first_guess(const Place& place);

/// Constants that explain the times best, and what the simulation makes of each. Seconds.
select::Tuning tuning_of(const Place& place, std::vector<select::MeasuredTimes> times);

}  // namespace rondo::communicator
