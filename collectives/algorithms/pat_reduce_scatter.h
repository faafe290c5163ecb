#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// See pat_reduce_scatter.cc for phases and cost. `request.rows` is the world size.
schedule::RankSchedule pat_reduce_scatter(const schedule::Request& request);

}  // namespace rondo::algorithms
