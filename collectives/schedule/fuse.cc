#include "collectives/schedule/fuse.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "collectives/schedule/causality.h"
#include "collectives/schedule/direct_stores.h"
#include "collectives/schedule/join.h"

namespace rondo::schedule {
namespace {

template <typename Transform>
std::vector<FusedSchedule> each_of(std::span<const RankSchedule> bases, Transform transform) {
  std::vector<FusedSchedule> list;
  list.reserve(bases.size());
  std::ranges::transform(bases, std::back_inserter(list), transform);
  return list;
}

/// Marks direct stores. False where the joined world doesn't run to its end.
bool complete(std::vector<FusedSchedule>& joined, const Rotation& rotation) {
  const std::optional<Causality> causality = Causality::of(joined, rotation);
  if (causality) mark_direct_stores(joined, *causality);
  return causality.has_value();
}

FusedSchedule lower_one(const RankSchedule& own) { return lower(own); }

std::vector<FusedSchedule> fuse_bases(std::span<const RankSchedule> bases,
                                      const Rotation& rotation) {
  std::vector<FusedSchedule> joined = each_of(bases, join_neighbours);
  return complete(joined, rotation) ? joined : each_of(bases, lower_one);
}

}  // namespace

std::vector<FusedSchedule> fuse_world(std::span<const RankSchedule> world) {
  return fuse_bases(world, Rotation::none(static_cast<int>(world.size())));
}

FoldedWorld fuse_folded(const BuildSchedule& build) {
  const RankSchedule first = build(0);
  auto folded = fold(first, build);
  if (!folded) {
    std::optional<FoldedWorld> joined = fold_joined(first, build);
    if (joined && complete(joined->bases, joined->rotation)) return std::move(*joined);
    folded = whole_world(first, build);
  }
  return {folded->rotation, fuse_bases(folded->bases, folded->rotation)};
}

FoldedWorld lower_folded(const BuildSchedule& build) {
  const RankSchedule first = build(0);
  auto folded = fold(first, build);
  if (!folded) folded = whole_world(first, build);
  return {folded->rotation, each_of(folded->bases, lower_one)};
}

}  // namespace rondo::schedule
