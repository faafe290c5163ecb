#pragma once

#include <cstddef>

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// Rows for the layout of `request`: for each rank of the largest host as many as the tree
/// broadcast among as many ranks as there are hosts has of its share.
std::uint32_t hierarchical_reduce_rows(const schedule::Request& request, std::size_t count);

/// See hierarchical_reduce.cc for phases and cost. `request.rows` is a multiple of the ranks of the
/// largest host.
schedule::RankSchedule hierarchical_reduce(const schedule::Request& request);

}  // namespace rondo::algorithms
