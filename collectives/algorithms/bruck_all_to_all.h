#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// See bruck_all_to_all.cc for phases and cost. `request.rows` is the square of the world size.
schedule::RankSchedule bruck_all_to_all(const schedule::Request& request);

}  // namespace rondo::algorithms
