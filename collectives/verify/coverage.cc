#include "collectives/verify/coverage.h"

#include <algorithm>
#include <iterator>

#include "collectives/schedule/fuse.h"
#include "collectives/verify/layout_family.h"

namespace rondo::verify {

using algorithms::Algorithm;
using schedule::Rank;
using schedule::Request;

namespace {

/// Small data, the first of the layouts.
Request plain_request(const Algorithm& algorithm, int world) {
  Request request{.collective = algorithm.collective, .world = world};
  if (algorithm.uses_layout) request.layout = layout_family(world).front();
  request.rows = algorithm.rows(request, 1);
  return request;
}

std::size_t ops_of_world(const Algorithm& algorithm, int world) {
  const auto build = builder_of(algorithm, plain_request(algorithm, world));
  std::size_t ops = 0;
  for (Rank rank = 0; rank < world; ++rank) {
    for (const auto& lane : build(rank).lanes) ops += lane.size();
  }
  return ops;
}

Costs costs_of(const Algorithm& algorithm) {
  constexpr int kProbe = 48;
  const auto build = builder_of(algorithm, plain_request(algorithm, kProbe));
  return {ops_of_world(algorithm, 2 * kProbe) > 3 * ops_of_world(algorithm, kProbe),
          schedule::fuse_folded(build).rotation.order() > 1};
}

}  // namespace

schedule::BuildSchedule builder_of(const Algorithm& algorithm, const Request& request) {
  return [&algorithm, own = request](Rank rank) mutable {
    own.rank = rank;
    return algorithm.build(own);
  };
}

const std::vector<Costs>& costs() {
  static const std::vector<Costs> list = [] {
    std::vector<Costs> made;
    std::ranges::transform(algorithms::all(), std::back_inserter(made), costs_of);
    return made;
  }();
  return list;
}

std::optional<Depth> depth_of(int world, Coverage coverage, const Costs& cost) {
  if (coverage == Coverage::kEverything || world <= kThoroughUpTo) return Depth::kThorough;
  const bool is_large = world > kMemoryRulesUpTo;
  const bool left_out = cost.quadratic && (is_large || (!cost.rotates && !is_chosen_world(world)));
  if (left_out) return std::nullopt;
  return is_large ? Depth::kValues : Depth::kChosen;
}

}  // namespace rondo::verify
