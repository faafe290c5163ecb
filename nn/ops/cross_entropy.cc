// cross_entropy: Y = -log(max(X[label], 1e-20)) for each row of probabilities; 0 where the label
// is ignore_index. Backward: dX[label] = -dY / max(X[label], 1e-20), other classes 0.

#include "nn/ops/builtin_ops.h"
#include "nn/ops/gradient.h"
#include "nn/ops/op_registry.h"

namespace rondo::nn {
namespace {

Status infer(TypeContext& context) {
  const TensorType& x = context.input(0);
  if (x.dims.size() != 2) return context.wrong_input(0, "[rows, classes]");
  RONDO_TRY(context.require_same(1, {DataType::kI64, {x.dims[0], 1}}));
  context.set_output(0, {x.dtype, {x.dims[0], 1}});
  return {};
}

std::vector<Op> gradient(const Op& forward) {
  return {gradient_op(forward, {{"X", "Label"}, {}, {"Y"}, {"X"}})};
}

}  // namespace

void add_cross_entropy(OpRegistry& registry) {
  registry.add({"cross_entropy", {{"X"}, {"Label"}}, {{"Y"}}, infer, gradient});
  registry.add({"cross_entropy_grad",
                {{"X"}, {"Label"}, {"Y@GRAD"}},
                {{"X@GRAD"}},
                infer_gradients,
                nullptr});
}

}  // namespace rondo::nn
