#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// Whom a rank tells, and whom it hears from, in a round whose `distance` is 1, 2, 4, ...
schedule::Rank barrier_target(schedule::Rank rank, int distance, int world);
schedule::Rank barrier_source(schedule::Rank rank, int distance, int world);

/// See dissemination_barrier.cc for phases and cost. `request.rows` is 1, and the row is empty.
schedule::RankSchedule dissemination_barrier(const schedule::Request& request);

}  // namespace rondo::algorithms
