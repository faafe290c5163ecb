// mean of all elements, as [1]. Backward: every dX = dOut / count. The gradient op reads X for its
// shape only.

#include "nn/ops/builtin_ops.h"
#include "nn/ops/gradient.h"
#include "nn/ops/op_registry.h"

namespace rondo::nn {
namespace {

Status infer(TypeContext& context) {
  context.set_output(0, {context.input(0).dtype, {1}});
  return {};
}

std::vector<Op> gradient(const Op& forward) {
  return {gradient_op(forward, {{"X"}, {}, {"Out"}, {"X"}})};
}

}  // namespace

void add_mean(OpRegistry& registry) {
  registry.add({"mean", {{"X"}}, {{"Out"}}, infer, gradient});
  registry.add({"mean_grad", {{"X"}, {"Out@GRAD"}}, {{"X@GRAD"}}, infer_gradients, nullptr});
}

}  // namespace rondo::nn
