// momentum: VelocityOut = mu * Velocity + Grad; ParamOut = Param - LearningRate * VelocityOut, or
// with use_nesterov Param - LearningRate * (Grad + mu * VelocityOut). Outputs are the same
// variables as their inputs.

#include "nn/ops/builtin_ops.h"
#include "nn/ops/op_registry.h"
#include "nn/ops/type_context.h"

namespace rondo::nn {
namespace {

Status infer(TypeContext& context) {
  const TensorType param = context.input(0);
  RONDO_TRY(context.require_same(1, param));
  RONDO_TRY(context.require_same(2, param));
  RONDO_TRY(context.require_same(3, {param.dtype, {1}}));
  context.set_output(0, param);
  context.set_output(1, param);
  return {};
}

}  // namespace

void add_momentum(OpRegistry& registry) {
  registry.add({"momentum",
                {{"Param"}, {"Grad"}, {"Velocity"}, {"LearningRate"}},
                {{"ParamOut"}, {"VelocityOut"}},
                infer,
                nullptr});
}

}  // namespace rondo::nn
