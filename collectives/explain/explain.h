#pragma once

// All ways to do a collective, each predicted by simulating the schedule that would run, and why
// one of them is chosen. Pure; threads: any.

#include "collectives/explain/scenario.h"
#include "core/status.h"
#include "rondo/plan.h"

namespace rondo::explain {

/// Errors: InvalidArgument (there is no such algorithm).
Result<PlanReport> explain(const Scenario& scenario);

}  // namespace rondo::explain
