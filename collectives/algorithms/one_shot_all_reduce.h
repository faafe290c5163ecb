#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// See one_shot_all_reduce.cc for phases and cost. `request.rows` is 1.
schedule::RankSchedule one_shot_all_reduce(const schedule::Request& request);

}  // namespace rondo::algorithms
