#include "nn/layers/layer_helper.h"

#include <utility>

#include "core/status.h"
#include "nn/layers/initializer_op.h"
#include "nn/ops/append_op.h"
#include "nn/ops/startup.h"
#include "nn/ops/type_context.h"

namespace rondo::nn {
namespace {

void require_same_parameter(const Var& existing, const TensorType& wanted) {
  const TensorType got{existing.dtype(), existing.dims()};
  if (existing.is_parameter() && got == wanted) return;
  throw Error(ErrorCode::kInvalidArgument, "variable '" + existing.name() + "' is " +
                                               to_string(got) + " and can't be shared as a " +
                                               "parameter of " + to_string(wanted));
}

}  // namespace

LayerHelper::LayerHelper(const std::string& type, const std::string& name)
    : name_(name.empty() ? default_main_program().unique_name(type) : name) {}

Var LayerHelper::parameter(const ParamAttr& attr, const std::string& role, const Dims& dims,
                           DataType dtype, const Initializer& otherwise) {
  Program& program = default_main_program();
  if (!attr.name.empty()) {
    if (const Var existing = program.global_block().find_var(attr.name)) {
      require_same_parameter(existing, {dtype, dims});
      return existing;
    }
  }
  VarDesc desc;
  desc.name = attr.name.empty() ? program.unique_name(name_ + "." + role) : attr.name;
  desc.dtype = dtype;
  desc.dims = dims;
  desc.parameter = true;
  desc.trainable = attr.trainable;
  desc.learning_rate = attr.learning_rate;
  const bool unset = attr.initializer.kind == Initializer::Kind::kUnset;
  Op init = initializer_op(unset ? otherwise : attr.initializer, dims);
  return value_or_throw(create_persistable(std::move(desc), std::move(init)));
}

Var LayerHelper::append(Op op, const std::string& output) {
  Program& program = default_main_program();
  const std::string result = program.unique_name(name_ + ".tmp");
  op.outputs[output] = {result};
  throw_if_error(append_op(program.global_block(), std::move(op)));
  return program.global_block().var(result);
}

std::vector<std::string> input_name(const std::string& layer, const Var& var) {
  if (!var) throw Error(ErrorCode::kInvalidArgument, layer + ": an input is no variable");
  if (!(default_main_program().global_block().find_var(var.name()) == var)) {
    throw Error(ErrorCode::kInvalidArgument,
                layer + ": variable '" + var.name() +
                    "' belongs to another program than the default main program");
  }
  return {var.name()};
}

}  // namespace rondo::nn
