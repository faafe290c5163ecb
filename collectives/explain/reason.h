#pragma once

// Why a plan's algorithm is the one that runs, in a sentence. Pure.

#include <string>

#include "collectives/explain/scenario.h"

namespace rondo::explain {

/// What has decided comes first: who asks for an algorithm, the cost formula, or by a tuning the
/// simulation. `report`: with its candidates in order.
std::string reason_for(const Scenario& scenario, const PlanReport& report);

}  // namespace rondo::explain
