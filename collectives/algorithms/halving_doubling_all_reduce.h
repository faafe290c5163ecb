#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

schedule::RankSchedule halving_doubling_all_reduce(const schedule::Request& request);

}  // namespace rondo::algorithms
