#pragma once

// Index arithmetic of the ring algorithms: who is next, and which row moves in which step. Pure
// functions; steps count from 0 to world - 2.

#include <cstdint>

#include "collectives/schedule/op.h"

namespace rondo::algorithms {

schedule::Rank ring_next(schedule::Rank rank, int world);
schedule::Rank ring_previous(schedule::Rank rank, int world);

/// All-reduce, reduce phase: the row that `rank` receives and adds its own to in `step`. What it
/// sends in a step is what it received one step earlier (in step 0 the row of its own number), so
/// the last step completes row rank + 1.
std::uint32_t ring_reduce_row(schedule::Rank rank, int step, int world);
std::uint32_t ring_first_row(schedule::Rank rank);
/// All-reduce, gather phase: the completed row that `rank` receives in `step`.
std::uint32_t ring_gather_row(schedule::Rank rank, int step, int world);

/// Reduce-scatter: the same walk one row further back, so that the last step completes row `rank`.
std::uint32_t ring_scatter_row(schedule::Rank rank, int step, int world);
std::uint32_t ring_scatter_first_row(schedule::Rank rank, int world);

/// All-gather: the row that `rank` receives in `step`.
std::uint32_t ring_all_gather_row(schedule::Rank rank, int step, int world);

}  // namespace rondo::algorithms
