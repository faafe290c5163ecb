#pragma once

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// The peer that a rank serves as number `index` (0 .. world - 2): each rank starts with its own
/// neighbour, so that no peer is everybody's first.
schedule::Rank direct_peer(schedule::Rank rank, int index, int world);

/// See direct_all_reduce.cc for phases and cost. `request.rows` is the world size.
schedule::RankSchedule direct_all_reduce(const schedule::Request& request);

}  // namespace rondo::algorithms
