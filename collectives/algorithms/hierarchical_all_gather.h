#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// See hierarchical_all_gather.cc for phases and cost. `request.rows` is the world size.
schedule::RankSchedule hierarchical_all_gather(const schedule::Request& request);

}  // namespace rondo::algorithms
