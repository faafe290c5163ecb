#pragma once

#include <cstddef>

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// Those of the tree broadcast among as many ranks as there are hosts.
std::uint32_t hierarchical_broadcast_rows(const schedule::Request& request, std::size_t count);

/// Whether so many rows go along a chain of the hosts, not down a tree of them.
bool hierarchical_broadcast_is_chain(int hosts, std::uint32_t rows);

/// See hierarchical_broadcast.cc for phases and cost. Any number of rows.
schedule::RankSchedule hierarchical_broadcast(const schedule::Request& request);

}  // namespace rondo::algorithms
