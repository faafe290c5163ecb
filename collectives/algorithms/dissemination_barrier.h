#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// See dissemination_barrier.cc for phases and cost. `request.rows` is 1, and the row is empty.
schedule::RankSchedule dissemination_barrier(const schedule::Request& request);

}  // namespace rondo::algorithms
