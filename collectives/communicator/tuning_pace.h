#pragma once

// How fast a world is beside the tuning that it goes by (select/pace.h). Threads: the place's.

#include "collectives/communicator/engine.h"
#include "collectives/select/pace.h"
#include "core/status.h"

namespace rondo::communicator {

/// Times all_reduces at five sizes from 64 B to 8 MiB, each by one algorithm that is nearly as fast
/// as the fastest, and up to 512 KiB on registered memory where the tuning knows that: a tenth of a
/// second between two ranks, half of one where calls take long. Beyond 8 MiB, and from the first
/// size on that isn't timed since it takes 15 ms or the time is over, it goes to 1: what counts
/// there is memory, or links, whose speed is no matter of where a core is. Nothing where the tuning
/// is another world's, or a rank has no memory for it, which it logs. The same on all ranks. A
/// collective call. Errors: as a collective call.
Result<select::Pace> measure_pace(Engine& engine);

}  // namespace rondo::communicator
