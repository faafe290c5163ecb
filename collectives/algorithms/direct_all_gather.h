#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

schedule::RankSchedule direct_all_gather(const schedule::Request& request);

}  // namespace rondo::algorithms
