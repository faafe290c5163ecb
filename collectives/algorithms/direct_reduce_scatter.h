#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

schedule::RankSchedule direct_reduce_scatter(const schedule::Request& request);

}  // namespace rondo::algorithms
