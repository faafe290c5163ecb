#pragma once

// One reduction of a call, by whichever runner.

#include "collectives/execute/host/plan.h"
#include "collectives/kernels/custom.h"
#include "core/status.h"
#include "core/trace/call_timer.h"

namespace rondo::execute {

/// By the plan's kernel, or by the function that the call brings. `timer`: as Operands::timer.
/// Errors: what the function threw, with this rank as the culprit.
Status reduce_by_plan(const Plan& plan, const kernels::CustomKernel& custom,
                      trace::CallTimer* timer, const kernels::ReduceArguments& arguments);

}  // namespace rondo::execute
