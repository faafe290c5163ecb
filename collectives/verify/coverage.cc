#include "collectives/verify/coverage.h"

#include <algorithm>
#include <iterator>

#include "collectives/verify/layout_family.h"

namespace rondo::verify {

using algorithms::Algorithm;
using schedule::Rank;
using schedule::Request;

namespace {

/// Small data, the first of the layouts.
Request plain_request(const Algorithm& algorithm, int world) {
  Request request{.collective = algorithm.collective, .world = world};
  const auto layouts = layouts_for(algorithm, world);
  if (!layouts.empty()) request.layout = layouts.front();
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

bool is_quadratic(const Algorithm& algorithm) {
  constexpr int kProbe = 48;
  return ops_of_world(algorithm, 2 * kProbe) > 3 * ops_of_world(algorithm, kProbe);
}

}  // namespace

schedule::BuildSchedule builder_of(const Algorithm& algorithm, const Request& request) {
  return [&algorithm, own = request](Rank rank) mutable {
    own.rank = rank;
    return algorithm.build(own);
  };
}

const std::vector<bool>& are_quadratic() {
  static const std::vector<bool> list = [] {
    std::vector<bool> made;
    std::ranges::transform(algorithms::all(), std::back_inserter(made), is_quadratic);
    return made;
  }();
  return list;
}

std::optional<Depth> depth_of(int world, Coverage coverage, bool quadratic) {
  if (coverage == Coverage::kEverything || world <= kThoroughUpTo) return Depth::kThorough;
  if (world <= kMemoryRulesUpTo) return Depth::kChosen;
  return quadratic ? std::nullopt : std::optional(Depth::kValues);
}

}  // namespace rondo::verify
