#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// See direct_all_to_all.cc for phases and cost. `request.rows` is one for each pair of ranks.
schedule::RankSchedule direct_all_to_all(const schedule::Request& request);

}  // namespace rondo::algorithms
