#pragma once

// An exhaustive second opinion for tiny worlds: runs a world of schedules in every order that its
// channels allow and looks at the results alone. It knows no clocks and no rules about memory, so
// it shares none of the verifier's reasoning; mutants that the verifier accepts are judged by it.

#include <cstddef>
#include <cstdint>
#include <span>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/verify/machine.h"
#include "collectives/verify/rank_order.h"

namespace rondo::verify {

enum class Verdict : std::uint8_t {
  kGood,     ///< every order ends with the right results
  kBad,      ///< some order deadlocks, leaves messages behind or ends with wrong results
  kSampled,  ///< too many states: as many random orders as were allowed ended well
};

struct ExploreLimits {
  std::size_t states = 200'000;
  std::size_t random_orders = 100;
  bool reduce = true;  ///< false: without going_first.h, to test it
};

/// The world's shape has been checked; it has at most 64 ranks.
Verdict explore(std::span<const schedule::FusedSchedule> world, const Model& model,
                const ExploreLimits& limits, Order order = Order::kAny);

}  // namespace rondo::verify
