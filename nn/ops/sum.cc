// sum: Out = X_0 + X_1 + ... of equal shapes, in that order. Backward: each dX_i = dOut, by one
// scale op each. Backward itself uses sum to join the gradients of a variable with many readers.

#include "nn/ops/builtin_ops.h"
#include "nn/ops/gradient.h"
#include "nn/ops/op_registry.h"

namespace rondo::nn {
namespace {

Status infer(TypeContext& context) {
  TensorType type = context.input(0);
  for (std::size_t i = 1; i < context.input_count(0); ++i) {
    RONDO_TRY(context.require_same(0, type, i));
  }
  context.set_output(0, type);
  return {};
}

std::vector<Op> gradient(const Op& forward) {
  std::vector<Op> ops;
  for (const std::string& input : forward.inputs.at("X")) {
    Op copy;
    copy.type = "scale";
    copy.role = OpRole::kBackward;
    copy.inputs["X"] = grad_names(forward.outputs.at("Out"));
    copy.outputs["Out"] = {grad_name(input)};
    copy.attributes["scale"] = 1.0;
    ops.push_back(copy);
  }
  return ops;
}

}  // namespace

void add_sum(OpRegistry& registry) {
  registry.add({"sum", {{"X", true}}, {{"Out"}}, infer, gradient});
}

}  // namespace rondo::nn
