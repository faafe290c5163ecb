#pragma once

// The part that the direct all-reduce algorithms share: one rank combines the contributions of all
// ranks to one row in rank order, ((x0 + x1) + x2) + ..., whoever it is itself. So the expression
// tree, and with it every bit, is the same wherever it is computed.

#include <span>

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// Whose contributions are combined: at least two ranks, in the order of the sum.
struct Contributors {
  schedule::Rank own = 0;
  std::span<const schedule::Rank> ranks;  ///< `own` is among them
  bool are_all = true;                    ///< of the world: their sum is final
};

/// Receives `row` from every other contributor and stores the sum of all, its own input included,
/// to `target`. Nothing is stored to `target` before the last op.
void rank_order_reduce(schedule::Builder& builder, const Contributors& contributors,
                       std::uint32_t row, schedule::Slice target);

/// The same for all ranks of a world of at least two.
void rank_order_reduce(schedule::Builder& builder, const schedule::Request& request,
                       std::uint32_t row, schedule::Slice target);

}  // namespace rondo::algorithms
