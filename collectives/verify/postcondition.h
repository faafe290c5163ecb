#pragma once

// What every rank's output must hold when a collective has run, and how the ranks' outputs must
// agree. Reductions: the complete, once-divided sum by the same expression on every rank.

#include <span>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/verify/contributor_sets.h"
#include "collectives/verify/machine.h"
#include "core/status.h"

namespace rondo::verify {

/// `machine` has run `world` to its end; `sets`, if not null, is what it kept contributors in.
/// Errors: InvalidArgument, naming rank and row, what it holds and what it should hold.
Status check_postcondition(std::span<const schedule::FusedSchedule> world, const Machine& machine,
                           const ContributorSets* sets);

}  // namespace rondo::verify
