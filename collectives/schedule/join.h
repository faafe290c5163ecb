#pragma once

// Joins ops that follow each other in a lane into sweeps, so that a value that was just received
// or computed is passed on, stored and reduced while it is in registers.
//
//   recv_reduce + send       -> {memory, channel} -> {memory, channel}
//   recv + send              -> {channel} -> {memory, channel}
//   a run of reductions into one accumulator, then sends of the result
//                            -> {all sources, in order} -> {all targets}
//
// Order is never changed: only neighbours are joined, and a joined sweep reduces in schedule order.
// A reduction that names its accumulator second, joined, names it first: the built-in ops commute
// bit for bit. (Where sides matter, what was joined is proved to keep them: verify/value.h.)
// A store to scratch that nobody reads any more is dropped, except where it is the memory behind a
// message; scratch slots that are left without use disappear.

#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rank_schedule.h"

namespace rondo::schedule {

/// The ops of one rank, joined; no port is direct.
FusedSchedule join_neighbours(const RankSchedule& schedule);

}  // namespace rondo::schedule
