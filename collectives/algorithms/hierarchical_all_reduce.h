#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// Rows for the layout of `request`: one column for each rank of the largest host, in each as many
/// rows as there are hosts.
std::uint32_t hierarchical_rows(const schedule::Request& request);

/// See hierarchical_all_reduce.cc for phases and cost. `request.rows` is hierarchical_rows().
schedule::RankSchedule hierarchical_all_reduce(const schedule::Request& request);

}  // namespace rondo::algorithms
