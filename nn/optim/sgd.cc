#include "rondo/nn/optimizer.h"

namespace rondo::nn::inline v1 {

SGD::SGD(double learning_rate) : Optimizer(learning_rate) {}

Op SGD::update_op(const ParamGrad& pair, const Var& rate) {
  Op op;
  op.type = "sgd";
  op.inputs = {{"Param", {pair.param.name()}},
               {"Grad", {pair.grad.name()}},
               {"LearningRate", {rate.name()}}};
  op.outputs = {{"ParamOut", {pair.param.name()}}};
  return op;
}

}  // namespace rondo::nn::inline v1
