// Layers of one op without parameters: relu, softmax, mean, sum.

#include "nn/layers/layer_helper.h"

namespace rondo::nn::inline v1 {
namespace {

Var apply(const std::string& type, const Var& input) {
  Op op;
  op.type = type;
  op.inputs["X"] = input_name(type, input);
  return LayerHelper(type).append(op);
}

}  // namespace

Var relu(const Var& input) { return apply("relu", input); }

Var softmax(const Var& input) { return apply("softmax", input); }

Var mean(const Var& input) { return apply("mean", input); }

Var sum(const std::vector<Var>& inputs) {
  Op op;
  op.type = "sum";
  for (const Var& input : inputs) op.inputs["X"].push_back(input_name("sum", input).front());
  return LayerHelper("sum").append(op);
}

}  // namespace rondo::nn::inline v1
