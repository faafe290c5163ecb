// Layers that compare scores of classes with labels: cross_entropy and accuracy.

#include "nn/layers/layer_helper.h"

namespace rondo::nn::inline v1 {
namespace {

Op compare(const std::string& type, const Var& input, const Var& label) {
  Op op;
  op.type = type;
  op.inputs = {{"X", input_name(type, input)}, {"Label", input_name(type, label)}};
  return op;
}

}  // namespace

Var cross_entropy(const Var& input, const Var& label, std::int64_t ignore_index) {
  Op op = compare("cross_entropy", input, label);
  op.attributes["ignore_index"] = ignore_index;
  return LayerHelper("cross_entropy").append(op, "Y");
}

Var accuracy(const Var& input, const Var& label, int k) {
  Op op = compare("accuracy", input, label);
  op.attributes["k"] = std::int64_t{k};
  Var result = LayerHelper("accuracy").append(op, "Accuracy");
  result.set_stop_gradient(true);
  return result;
}

}  // namespace rondo::nn::inline v1
