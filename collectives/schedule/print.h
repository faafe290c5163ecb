#pragma once

// Schedules as text, for errors, `rondo plan` and the documentation. One line per op or sweep, so
// that a reader can follow an error's place by eye.

#include <cstddef>
#include <string>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rank_schedule.h"

namespace rondo::schedule {

/// "output 5", "scratch 0"
std::string to_string(Slice slice);

/// "op 3/6 recv_reduce <- rank 2, row 5 [lane 0]"; `index` counts from 0, the text from 1.
std::string describe_op(const RankSchedule& schedule, std::size_t lane, std::size_t index);

/// What sweeps are called: "op" where each is one of the same number (lower), else "sweep".
const char* word_for_sweep(const FusedSchedule& schedule);

/// A sweep that is one op reads like it: "sweep 3/6 recv_reduce <- rank 2, row 5 [lane 0]"; a fused
/// one names its ports: "sweep 2/3 {rank 1, input 0} -> {output 0, rank 1 (direct)}, row 0 [lane
/// 0]".
std::string describe_sweep(const FusedSchedule& schedule, std::size_t lane, std::size_t index);

/// Everything one rank does, a line each, under a heading with its request.
std::string describe(const RankSchedule& schedule);
std::string describe(const FusedSchedule& schedule);

}  // namespace rondo::schedule
