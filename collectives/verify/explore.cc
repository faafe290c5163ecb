#include "collectives/verify/explore.h"

#include <optional>
#include <random>
#include <unordered_set>
#include <utility>
#include <vector>

#include "collectives/verify/going_first.h"
#include "collectives/verify/small_world.h"

namespace rondo::verify {
namespace {

using State = SmallWorld::State;

std::vector<LaneId> ready_lanes(const SmallWorld& world, const State& state) {
  std::vector<LaneId> ready;
  for (LaneId lane = 0; lane < world.lanes(); ++lane) {
    if (world.is_ready(state, lane)) ready.push_back(lane);
  }
  return ready;
}

/// The lanes whose next sweeps have to be tried: all that are ready, or one that commutes with
/// whatever the others do.
std::vector<LaneId> choices(const SmallWorld& world, const State& state, bool reduce) {
  std::vector<LaneId> ready = ready_lanes(world, state);
  for (const LaneId lane : ready) {
    if (reduce && may_go_first(world, state, lane)) return {lane};
  }
  return ready;
}

/// Nothing where there are more states than `most`.
std::optional<bool> all_orders_end_well(const SmallWorld& world, const ExploreLimits& limits) {
  std::vector<State> open{world.start()};
  std::unordered_set<std::uint64_t> seen{world.hash(world.start())};
  while (!open.empty()) {
    const State state = std::move(open.back());
    open.pop_back();
    const std::vector<LaneId> next = choices(world, state, limits.reduce);
    if (next.empty() && !world.ends_well(state)) return false;
    for (const LaneId lane : next) {
      State after = state;
      if (!world.step(after, lane)) return false;
      if (!seen.insert(world.hash(after)).second) continue;
      if (seen.size() > limits.states) return std::nullopt;
      open.push_back(std::move(after));
    }
  }
  return true;
}

bool random_order_ends_well(const SmallWorld& world, std::uint32_t seed) {
  std::minstd_rand random(seed + 1);
  State state = world.start();
  for (;;) {
    const std::vector<LaneId> ready = ready_lanes(world, state);
    if (ready.empty()) return world.ends_well(state);
    if (!world.step(state, ready[random() % ready.size()])) return false;
  }
}

}  // namespace

Verdict explore(std::span<const schedule::FusedSchedule> world, const Model& model,
                const ExploreLimits& limits, Order order) {
  const SmallWorld small(world, model, order);
  // A wrong schedule mostly fails in a few orders already: look at those before all of them.
  for (std::uint32_t seed = 0; seed < limits.random_orders; ++seed) {
    if (!random_order_ends_well(small, seed)) return Verdict::kBad;
  }
  const std::optional<bool> all = all_orders_end_well(small, limits);
  if (!all) return Verdict::kSampled;
  return *all ? Verdict::kGood : Verdict::kBad;
}

}  // namespace rondo::verify
