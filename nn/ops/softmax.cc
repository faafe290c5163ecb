// softmax over the last axis: Out = exp(X - max) / sum. Backward needs only the result:
// dX = Out * (dOut - sum(Out * dOut)).

#include "nn/ops/builtin_ops.h"
#include "nn/ops/gradient.h"
#include "nn/ops/op_registry.h"

namespace rondo::nn {
namespace {

Status infer(TypeContext& context) {
  if (context.input(0).dims.empty()) return context.wrong_input(0, "of one axis or more");
  return infer_like_input(context);
}

std::vector<Op> gradient(const Op& forward) {
  return {gradient_op(forward, {{}, {"Out"}, {"Out"}, {"X"}})};
}

}  // namespace

void add_softmax(OpRegistry& registry) {
  registry.add({"softmax", {{"X"}}, {{"Out"}}, infer, gradient});
  registry.add({"softmax_grad", {{"Out"}, {"Out@GRAD"}}, {{"X@GRAD"}}, infer_like_input, nullptr});
}

}  // namespace rondo::nn
