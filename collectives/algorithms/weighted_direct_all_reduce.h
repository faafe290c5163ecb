#pragma once

#include <cstddef>
#include <vector>

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// One row for each rank and block; more blocks where the data is large.
std::uint32_t weighted_direct_rows(const schedule::Request& request, std::size_t count);

/// The size of each of the request's rows: a rank's are in proportion to what its link can take.
std::vector<std::size_t> weighted_direct_counts(const schedule::Request& request,
                                                std::size_t count);

/// See weighted_direct_all_reduce.cc for phases and cost. Any multiple of the world size as rows.
schedule::RankSchedule weighted_direct_all_reduce(const schedule::Request& request);

}  // namespace rondo::algorithms
