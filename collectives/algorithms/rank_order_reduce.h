#pragma once

// The part that the direct all-reduce algorithms share: one rank combines the contributions of all
// ranks to one row in rank order, ((x0 + x1) + x2) + ..., whoever it is itself. So the expression
// tree, and with it every bit, is the same wherever it is computed.

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// Receives `row` from every peer and stores the sum of all, its own input included, to `target`.
/// Nothing is stored to `target` before the last op. The world has at least two ranks.
void rank_order_reduce(schedule::Builder& builder, const schedule::Request& request,
                       std::uint32_t row, schedule::Slice target);

}  // namespace rondo::algorithms
