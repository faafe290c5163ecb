#pragma once

#include <cstdint>

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// The row that goes from one rank to another.
std::uint32_t row_between(schedule::Rank from, schedule::Rank to, int world);

schedule::RankSchedule pairwise_all_to_all(const schedule::Request& request);

}  // namespace rondo::algorithms
