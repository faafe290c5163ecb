#pragma once

#include "rondo/plan.h"
#include "rondo/schedules.h"
#include "tools/schedules_page/formulas.h"

namespace rondo::tool {

/// The formulas of an algorithm with its schedules in worlds of a rank a host, and of several.
/// Errors: std::runtime_error where they differ.
void compare(const AlgorithmInfo& algorithm, Collective collective, const Formula& formula);

}  // namespace rondo::tool
