// What all optimisers share: the order of minimize, the learning rate, the state of a parameter.

#include "rondo/nn/optimizer.h"

#include <utility>

#include "core/status.h"
#include "nn/ops/append_op.h"
#include "nn/ops/startup.h"

namespace rondo::nn::inline v1 {

Optimizer::Optimizer(double learning_rate) : learning_rate_(learning_rate) {}

Optimizer::~Optimizer() = default;

std::vector<ParamGrad> Optimizer::minimize(const Var& loss, const BackwardOptions& options) {
  std::vector<ParamGrad> pairs = append_backward(loss, options);
  create_learning_rate(loss.dtype());
  Block& block = default_main_program().global_block();
  for (const ParamGrad& pair : pairs) {
    Op op = update_op(pair, rate_of(pair.param));
    op.role = OpRole::kOptimize;
    op.role_vars = {pair.param.name(), pair.grad.name()};
    throw_if_error(append_op(block, std::move(op)));
  }
  return pairs;
}

void Optimizer::create_learning_rate(DataType dtype) {
  VarDesc desc;
  desc.name = default_main_program().unique_name("learning_rate");
  desc.dtype = dtype;
  desc.dims = {1};
  desc.stop_gradient = true;
  learning_rate_var_ =
      value_or_throw(create_persistable(std::move(desc), fill_with(learning_rate_)));
}

Var Optimizer::rate_of(const Var& param) {
  const double factor = param.desc().learning_rate;
  if (factor == 1.0) return learning_rate_var_;
  Program& program = default_main_program();
  const std::string name = program.unique_name(param.name() + ".learning_rate");
  Op op;
  op.type = "scale";
  op.role = OpRole::kOptimize;
  op.inputs["X"] = {learning_rate_var_.name()};
  op.outputs["Out"] = {name};
  op.attributes["scale"] = factor;
  throw_if_error(append_op(program.global_block(), std::move(op)));
  return program.global_block().var(name);
}

Var Optimizer::create_accumulator(const Var& param, const std::string& role) {
  VarDesc desc;
  desc.name = default_main_program().unique_name(param.name() + "_" + role);
  desc.dtype = param.dtype();
  desc.dims = param.dims();
  desc.stop_gradient = true;
  return value_or_throw(create_persistable(std::move(desc), fill_with(0)));
}

}  // namespace rondo::nn::inline v1
