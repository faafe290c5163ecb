#pragma once

// What every rank's output must hold when a collective has run, and how the ranks' outputs must
// agree. Reductions: the complete, once-divided sum by the same expression on every rank.

#include <functional>
#include <span>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/verify/contributor_sets.h"
#include "collectives/verify/value.h"
#include "core/status.h"

namespace rondo::verify {

/// What there is to know after a run.
struct Outcome {
  /// What a rank's memory holds; null where nothing was stored.
  std::function<const Value*(schedule::Rank rank, schedule::Slice slice)> find;
  /// Whether the end of `rank` comes after the start of `other` in every order.
  std::function<bool(schedule::Rank rank, schedule::Rank other)> end_knows_start;
};

/// Of the bases, and with them of all their turns: those of a base's row are the same row on each
/// of its turns, so all ranks have the same expression where these do. `sets`, if not null, is what
/// the run kept contributors in. Errors: InvalidArgument, naming rank and row, what it holds and
/// what it should hold.
Status check_postcondition(std::span<const schedule::FusedSchedule> bases,
                           const schedule::Rotation& rotation, const Outcome& outcome,
                           const ContributorSets* sets);

}  // namespace rondo::verify
