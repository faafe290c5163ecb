#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

schedule::RankSchedule pairwise_all_to_all(const schedule::Request& request);

}  // namespace rondo::algorithms
