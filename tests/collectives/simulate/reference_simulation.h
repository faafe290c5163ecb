#pragma once

// The slow, obvious form of simulate(): all ranks, all activities shared out anew whenever anything
// changes, time moved on step by step.

#include <vector>

#include "collectives/schedule/chunk_table.h"
#include "collectives/schedule/fused_schedule.h"
#include "collectives/simulate/simulate.h"

namespace rondo::simulate {

/// When each rank is done; the world runs to its end.
std::vector<double> reference_simulation(const std::vector<schedule::FusedSchedule>& world,
                                         const schedule::ChunkTable& table, const Network& network,
                                         const Options& options);

/// The speeds of activities by max-min fairness: `uses[a]` are resources and weights, `most[a]` a
/// limit of its own (0: none).
std::vector<double> reference_speeds(const std::vector<double>& capacities,
                                     const std::vector<std::vector<std::pair<int, double>>>& uses,
                                     const std::vector<double>& most);

}  // namespace rondo::simulate
