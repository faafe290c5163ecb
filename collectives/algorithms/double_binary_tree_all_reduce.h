#pragma once

#include <cstddef>

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// The rows of both trees together: two, and more where the data is large.
std::uint32_t double_binary_tree_rows(int world, std::size_t count);

/// See double_binary_tree_all_reduce.cc for phases and cost. Any even number of rows.
schedule::RankSchedule double_binary_tree_all_reduce(const schedule::Request& request);

}  // namespace rondo::algorithms
