#pragma once

// An algorithm's schedules of a whole world, as they are simulated. Pure; threads: any.

#include <cstddef>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/chunk_table.h"
#include "collectives/schedule/rotation.h"
#include "core/status.h"

namespace rondo::select {

struct Schedules {
  schedule::FoldedWorld world;
  schedule::ChunkTable table;
};

/// `request`: its collective, world, root and layout count. `count`: elements that the rows share
/// out. Ranks that are turns of each other are built once.
/// Errors: Unsupported: too many ranks for an algorithm whose ranks all differ, or whose rows have
/// no numbers then, in words for a table's cell.
Result<Schedules> schedules_of(const algorithms::Algorithm& algorithm,
                               const schedule::Request& request, std::size_t count);

}  // namespace rondo::select
