#pragma once

// Algorithms that are one in a world: on a single host the ring that goes round the hosts is the
// ring, and of two ranks the hierarchical all-reduce is the direct one. What is measured of one is
// true of the other. Pure; threads: any.

#include <span>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/host_layout.h"

namespace rondo::select {

/// For each of these algorithms (of one collective) the first of them that has the same schedules,
/// for short data and for long; itself where there is none, where its schedules aren't for this
/// world, and in worlds of more than 64 ranks. Costs as much as building all of them twice.
std::vector<const algorithms::Algorithm*> first_alike(
    std::span<const algorithms::Algorithm* const> algorithms, const schedule::SharedLayout& layout);

}  // namespace rondo::select
