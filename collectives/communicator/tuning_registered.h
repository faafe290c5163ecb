#pragma once

// What a tuning knows of registered memory, which isn't copied before it is combined: another
// algorithm may be the fastest there. Threads: the place's.

#include <vector>

#include "collectives/communicator/engine.h"
#include "collectives/communicator/timed_samples.h"
#include "core/status.h"

namespace rondo::communicator {

/// Medians of those that are close to the fastest on ordinary memory, at the sizes that were
/// measured there. Nothing where no ranks share memory, or where one has no
/// registered memory left, which it logs. The same on all ranks. A collective call. Errors: as a
/// collective call.
Result<std::vector<select::MeasuredTimes>> measure_registered(Engine& engine,
                                                              const TimedSamples& ordinary);

}  // namespace rondo::communicator
