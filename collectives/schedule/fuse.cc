#include "collectives/schedule/fuse.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "collectives/schedule/causality.h"
#include "collectives/schedule/direct_stores.h"
#include "collectives/schedule/join.h"

namespace rondo::schedule {

std::vector<FusedSchedule> fuse_world(std::span<const RankSchedule> world) {
  std::vector<FusedSchedule> fused;
  fused.reserve(world.size());
  for (const RankSchedule& schedule : world) fused.push_back(join_neighbours(schedule));
  const std::optional<Causality> causality = Causality::of(fused);
  if (!causality) {
    std::transform(world.begin(), world.end(), fused.begin(), lower);
    return fused;
  }
  mark_direct_stores(fused, *causality);
  return fused;
}

FusedSchedule fuse(int world, Rank rank, const std::function<RankSchedule(Rank)>& build) {
  std::vector<RankSchedule> schedules;
  schedules.reserve(static_cast<std::size_t>(world));
  for (Rank other = 0; other < world; ++other) schedules.push_back(build(other));
  return std::move(fuse_world(schedules)[static_cast<std::size_t>(rank)]);
}

}  // namespace rondo::schedule
