#pragma once

#include <cstddef>
#include <vector>

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// The tree is written for a root numbered 0; these turn ranks into such numbers and back.
int tree_number(schedule::Rank rank, schedule::Rank root, int world);
schedule::Rank tree_rank(int number, schedule::Rank root, int world);
/// Parent of a number other than 0, and children in the order they are served: the largest subtree
/// first.
int tree_parent(int number);
std::vector<int> tree_children(int number, int world);

/// A few rows for large data, so that a subtree starts before all has arrived.
std::uint32_t tree_broadcast_rows(int world, std::size_t count);

/// See tree_broadcast.cc for phases and cost. Any number of rows.
schedule::RankSchedule tree_broadcast(const schedule::Request& request);

}  // namespace rondo::algorithms
