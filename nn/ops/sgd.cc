// sgd: ParamOut = Param - LearningRate * Grad. ParamOut is the same variable as Param.

#include "nn/ops/builtin_ops.h"
#include "nn/ops/gradient.h"
#include "nn/ops/op_registry.h"

namespace rondo::nn {
namespace {

Status infer(TypeContext& context) {
  const TensorType& param = context.input(0);
  RONDO_TRY(context.require_same(1, param));
  RONDO_TRY(context.require_same(2, {param.dtype, {1}}));
  return infer_like_input(context);
}

}  // namespace

void add_sgd(OpRegistry& registry) {
  registry.add({"sgd", {{"Param"}, {"Grad"}, {"LearningRate"}}, {{"ParamOut"}}, infer, nullptr});
}

}  // namespace rondo::nn
