#pragma once

// The collectives in which the root talks to every other rank by itself.

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

schedule::RankSchedule linear_broadcast(const schedule::Request& request);
schedule::RankSchedule linear_reduce(const schedule::Request& request);
schedule::RankSchedule linear_gather(const schedule::Request& request);
schedule::RankSchedule linear_scatter(const schedule::Request& request);

}  // namespace rondo::algorithms
