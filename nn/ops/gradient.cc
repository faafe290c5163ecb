#include "nn/ops/gradient.h"

namespace rondo::nn {

inline namespace v1 {

std::string grad_name(const std::string& name) { return name + "@GRAD"; }

}  // namespace v1

std::vector<std::string> grad_names(const std::vector<std::string>& names) {
  std::vector<std::string> grads;
  grads.reserve(names.size());
  for (const std::string& name : names) grads.push_back(grad_name(name));
  return grads;
}

Op gradient_op(const Op& forward, const GradientSlots& slots) {
  Op op;
  op.type = forward.type + "_grad";
  op.attributes = forward.attributes;
  op.role = OpRole::kBackward;
  for (const char* slot : slots.inputs) op.inputs[slot] = forward.inputs.at(slot);
  for (const char* slot : slots.outputs) op.inputs[slot] = forward.outputs.at(slot);
  for (const char* slot : slots.output_grads) {
    op.inputs[grad_name(slot)] = grad_names(forward.outputs.at(slot));
  }
  for (const char* slot : slots.input_grads) {
    op.outputs[grad_name(slot)] = grad_names(forward.inputs.at(slot));
  }
  return op;
}

Status infer_gradients(TypeContext& context) {
  const auto& outputs = context.def().outputs;
  for (std::size_t slot = 0; slot < outputs.size(); ++slot) {
    const std::string name = outputs[slot].name;
    const TensorType* type = context.find_input(name.substr(0, name.find("@GRAD")));
    if (type == nullptr) {
      return Status(ErrorCode::kInternal, "op " + context.op().type + " has no input for " + name);
    }
    context.set_output(slot, *type);
  }
  return {};
}

Status infer_like_input(TypeContext& context) {
  context.set_output(0, context.input(0));
  return {};
}

}  // namespace rondo::nn
