#include "rondo/nn/optimizer.h"

namespace rondo::nn::inline v1 {

Momentum::Momentum(double learning_rate, double momentum, bool use_nesterov)
    : Optimizer(learning_rate), momentum_(momentum), use_nesterov_(use_nesterov) {}

Op Momentum::update_op(const ParamGrad& pair, const Var& rate) {
  const Var velocity = create_accumulator(pair.param, "velocity");
  Op op;
  op.type = "momentum";
  op.inputs = {{"Param", {pair.param.name()}},
               {"Grad", {pair.grad.name()}},
               {"Velocity", {velocity.name()}},
               {"LearningRate", {rate.name()}}};
  op.outputs = {{"ParamOut", {pair.param.name()}}, {"VelocityOut", {velocity.name()}}};
  op.attributes["mu"] = momentum_;
  op.attributes["use_nesterov"] = use_nesterov_;
  return op;
}

}  // namespace rondo::nn::inline v1
