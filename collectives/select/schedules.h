#pragma once

// An algorithm's schedules of a whole world, as they are simulated. Pure; threads: any.

#include <cstddef>
#include <memory>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/chunk_table.h"
#include "collectives/schedule/rotation.h"
#include "collectives/simulate/simulate.h"
#include "core/status.h"

namespace rondo::select {

struct Schedules {
  /// Without bases where there is a survey of the ranks in their place: of large worlds without a
  /// rotation.
  schedule::FoldedWorld world;
  schedule::ChunkTable table;
  std::shared_ptr<const simulate::Survey> survey{};
};

/// `request`: its collective, world, root and layout count. `count`: elements that the rows share
/// out. Ranks that are turns of each other are built once.
/// Errors: Unsupported: too many ranks for an algorithm that has no rotation, or too many rows to
/// look at or to number, in words for a table's cell.
Result<Schedules> schedules_of(const algorithms::Algorithm& algorithm,
                               const schedule::Request& request, std::size_t count);

/// What `rank` runs.
schedule::FusedSchedule schedule_of(const Schedules& schedules, schedule::Rank rank);

/// When all is done. Errors: as simulate::simulate.
Result<simulate::Prediction> predict(const Schedules& schedules, const simulate::Network& network,
                                     const simulate::Options& options);

}  // namespace rondo::select
