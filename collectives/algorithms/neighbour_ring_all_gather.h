#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// See neighbour_ring_all_gather.cc for phases and cost. `request.rows` is the world size.
schedule::RankSchedule neighbour_ring_all_gather(const schedule::Request& request);

}  // namespace rondo::algorithms
