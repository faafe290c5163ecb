#pragma once

// From what was measured to a tuning; rank 0's part.

#include "collectives/communicator/place.h"
#include "collectives/communicator/tuning_samples.h"
#include "collectives/select/tuning.h"

namespace rondo::communicator {

/// The hosts as this communicator has them, with constants to begin with.
simulate::Network first_guess(const Place& place);

/// Constants that explain the times best, and what the simulation makes of each. Seconds.
select::Tuning tuning_of(const Place& place, TuningSamples samples);

}  // namespace rondo::communicator
