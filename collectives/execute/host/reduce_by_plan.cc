#include "collectives/execute/host/reduce_by_plan.h"

namespace rondo::execute {

Status reduce_by_plan(const Plan& plan, const kernels::CustomKernel& custom,
                      trace::CallTimer* timer, const kernels::ReduceArguments& arguments) {
  const trace::KernelSpan span(timer);
  if (custom) {
    return kernels::reduce_by(custom, arguments).with_culprit(plan.schedule().request.rank);
  }
  plan.kernel()(arguments);
  return {};
}

}  // namespace rondo::execute
