#pragma once

// Finds the rotation of a world of schedules, by comparing what every rank does with what the next
// one does.

#include <functional>
#include <optional>
#include <vector>

#include "collectives/schedule/rank_schedule.h"
#include "collectives/schedule/rotation.h"

namespace rondo::schedule {

using BuildSchedule = std::function<RankSchedule(Rank)>;

/// The world that `build` makes, of ops; `first` is the schedule of rank 0. Tries the ranks by
/// number, and in the order of their hosts. Builds each other rank's schedule once for each try,
/// and holds three. Nothing where there is no rotation.
std::optional<Folded<RankSchedule>> fold(const RankSchedule& first, const BuildSchedule& build);

/// The same of joined sweeps (join.h). Finds more: ranks that combine the same sources, each in the
/// order of the ranks that these come from, are turns of each other too (Sweep::by_rank). Costs as
/// much as joining every rank's ops.
std::optional<FoldedWorld> fold_joined(const RankSchedule& first, const BuildSchedule& build);
/// The same by comparing a few of the ranks with the next ones: for worlds of which not every
/// rank's schedule can be built. A rotation of an algorithm that has one in every world to 512
/// (`rondo verify` folds them all), not a proof.
std::optional<FoldedWorld> fold_joined_sample(const RankSchedule& first,
                                              const BuildSchedule& build);

/// Without a rotation: all schedules.
Folded<RankSchedule> whole_world(const RankSchedule& first, const BuildSchedule& build);

}  // namespace rondo::schedule
