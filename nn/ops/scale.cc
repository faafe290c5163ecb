// scale: Out = scale * X. Backward is the same op on the gradient.

#include "nn/ops/builtin_ops.h"
#include "nn/ops/gradient.h"
#include "nn/ops/op_registry.h"

namespace rondo::nn {
namespace {

std::vector<Op> gradient(const Op& forward) {
  Op op = gradient_op(forward, {{}, {}, {"Out"}, {"X"}});
  op.type = "scale";
  op.inputs = {{"X", op.inputs.at("Out@GRAD")}};
  op.outputs = {{"Out", op.outputs.at("X@GRAD")}};
  return {op};
}

}  // namespace

void add_scale(OpRegistry& registry) {
  registry.add({"scale", {{"X"}}, {{"Out"}}, infer_like_input, gradient});
}

}  // namespace rondo::nn
