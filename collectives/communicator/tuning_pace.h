#pragma once

// How fast a world is beside the tuning that it goes by (select/pace.h). Threads: the place's.

#include "collectives/communicator/engine.h"
#include "collectives/select/pace.h"
#include "core/status.h"

namespace rondo::communicator {

/// Times all_reduces of ordinary memory at five sizes from 64 B to 8 MiB, each by one algorithm
/// that is nearly as fast as the fastest: 40 ms between two ranks that share memory, tenths of a
/// second where links are slow. Beyond 8 MiB, and from the first size on that takes 15 ms, it goes
/// to 1: what counts there is memory, or links, whose speed is no matter of where a core is.
/// Nothing where the tuning is another world's. The same on all ranks. A collective call. Errors:
/// as a collective call.
Result<select::Pace> measure_pace(Engine& engine);

}  // namespace rondo::communicator
