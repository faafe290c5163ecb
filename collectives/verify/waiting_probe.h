#pragma once

// A schedule that no communicator runs: an all-reduce on two lanes that needs its waits. It is here
// so that waits are proved and mutated although no built-in algorithm has any (yet).

#include "collectives/schedule/rank_schedule.h"

namespace rondo::verify {

/// Lane 0 exchanges inputs with all peers; lane 1 waits for it, reduces in rank order, and waits
/// for the lane's sends to be consumed before it overwrites the input in place. One row.
schedule::RankSchedule waiting_probe(const schedule::Request& request);

}  // namespace rondo::verify
