#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// See hierarchical_reduce_scatter.cc for phases and cost. `request.rows` is the world size.
schedule::RankSchedule hierarchical_reduce_scatter(const schedule::Request& request);

}  // namespace rondo::algorithms
