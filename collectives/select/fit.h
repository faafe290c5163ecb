#pragma once

// Finds the constants of a network under which the simulation takes as long as collectives really
// did. Pure; threads: any.

#include <span>

#include "collectives/select/schedules.h"
#include "collectives/simulate/simulate.h"

namespace rondo::select {

/// A collective that was run.
struct TimedRun {
  Schedules schedules;
  simulate::Options options;
  double us = 0;
};

/// How far off the simulation is: the mean of |log(simulated / measured)|.
double misfit(const simulate::Network& network, std::span<const TimedRun> runs);

/// Changes the constants of `network`, one after the other by ever smaller factors, as long as that
/// makes the misfit smaller (coordinate descent). Constants of links that no run uses stay as they
/// are. Cost: some hundred simulations of all runs.
simulate::Network fit(simulate::Network network, std::span<const TimedRun> runs);

}  // namespace rondo::select
