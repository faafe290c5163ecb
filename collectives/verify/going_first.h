#pragma once

// Partial-order reduction for the exhaustive check (explore.h): of sweeps that commute with all
// that can happen before them, one order stands for all. Source: Godefroid, Partial-Order Methods
// for the Verification of Concurrent Systems, LNCS 1032 (1996): a persistent set of one transition.

#include "collectives/verify/small_world.h"

namespace rondo::verify {

/// Whether the next sweep of a ready lane commutes with everything that other lanes can do while
/// this one stands still. What they can do is one run of theirs to its end: every channel has one
/// writer and one reader, so how far each lane gets depends on no order. Ranks meet in channels,
/// whose two ends commute, and in memory, which is looked at cell by cell.
bool may_go_first(const SmallWorld& world, const SmallWorld::State& state, LaneId lane);

}  // namespace rondo::verify
