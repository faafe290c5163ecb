#pragma once

// Whether every output of a reduction was combined in rank order, each rank's input on the right of
// those before it: what algorithms::Algorithm::keeps_rank_order says. It is what functions that
// don't commute need, and, done by one sweep, what makes the bits the same whichever algorithm.

#include <cstdint>
#include <span>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/verify/postcondition.h"
#include "core/status.h"

namespace rondo::verify {

/// What is asked of a reduction beyond the right sum.
enum class Order : std::uint8_t {
  kAny,
  kRanks,            ///< in rank order
  kRanksInOneSweep,  ///< in rank order, with no partial sum stored or sent on the way
};

/// Errors: InvalidArgument, naming rank and row and what is known of its expression.
Status check_order(std::span<const schedule::FusedSchedule> world, const Outcome& outcome,
                   Order order);

}  // namespace rondo::verify
