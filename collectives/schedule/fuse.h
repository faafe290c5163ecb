#pragma once

// The fusing pass: joins ops that follow each other in a lane into sweeps, so that a value that was
// just received or computed is passed on, stored and reduced while it is in registers.
//
//   recv_reduce + send       -> {channel, memory} -> {memory, channel}
//   recv + send              -> {channel} -> {memory, channel}
//   a run of reductions into one scratch slot, then sends of the result
//                            -> {all sources, in order} -> {all targets}
//
// Order is never changed and only neighbours are joined: a fused sweep reduces in schedule order.
// A store to scratch that nobody reads any more is dropped, except where it is the memory behind
// a message. Last, target channels are marked `direct` where a happens-before analysis of the whole
// world shows the receiver's memory to be free whenever the sweep runs (direct_stores.h).
//
// If the fused world could not run to its end with one message per channel, the unfused one is
// given instead. The verifier checks what comes out as it checks everything else.
// Pure: the result depends on the schedules alone. Threads: any.

#include <functional>
#include <span>
#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rank_schedule.h"

namespace rondo::schedule {

/// The whole world, fused. Valid in place and out of place.
std::vector<FusedSchedule> fuse_world(std::span<const RankSchedule> world);

/// One rank's part; `build(r)` gives the schedule of rank r. Costs as much as the whole world.
FusedSchedule fuse(int world, Rank rank, const std::function<RankSchedule(Rank)>& build);

/// Joins the ops of one rank, without marking direct stores.
FusedSchedule join_neighbours(const RankSchedule& schedule);

}  // namespace rondo::schedule
