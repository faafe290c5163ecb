#include "nn/ops/append_op.h"

#include <deque>
#include <utility>

#include "nn/ops/type_context.h"

namespace rondo::nn {
namespace {

Status invalid(const Op& op, const std::string& what) {
  return Status(ErrorCode::kInvalidArgument, "op " + op.type + ": " + what);
}

// Types of variables by address: a deque keeps them in place while it grows.
struct Types {
  std::deque<TensorType> storage;
  SlotTypes slots;
};

using Names = std::vector<std::vector<std::string>>;

Result<Types> input_types(Block& block, const Op& op, const Names& names) {
  Types types;
  for (const auto& slot : names) {
    auto& list = types.slots.emplace_back();
    for (const std::string& name : slot) {
      const Var var = block.find_var(name);
      if (!var) return invalid(op, "reads '" + name + "', which the program doesn't have");
      list.push_back(&types.storage.emplace_back(TensorType{var.dtype(), var.dims()}));
    }
  }
  return types;
}

Types output_types(const Names& names) {
  Types types;
  for (const auto& slot : names) {
    auto& list = types.slots.emplace_back();
    for (const std::string& name : slot) {
      list.push_back(name.empty() ? nullptr : &types.storage.emplace_back());
    }
  }
  return types;
}

// Rows stay rows: a result with as many rows as the op's first input has its sequences too.
int lod_level_of(Block& block, const Names& inputs, const Dims& dims) {
  if (inputs.empty() || inputs[0].empty()) return 0;
  const VarDesc& first = block.var(inputs[0][0]).desc();
  const bool same_rows = !first.dims.empty() && !dims.empty() && first.dims[0] == dims[0];
  return same_rows ? first.lod_level : 0;
}

Status create_outputs(Block& block, const Op& op, const Names& inputs, const Names& names,
                      const Types& types) {
  for (std::size_t slot = 0; slot < names.size(); ++slot) {
    for (std::size_t i = 0; i < names[slot].size(); ++i) {
      const std::string& name = names[slot][i];
      if (name.empty()) continue;
      const TensorType& type = *types.slots[slot][i];
      const Var existing = block.find_var(name);
      if (!existing) {
        VarDesc desc;
        desc.name = name;
        desc.dtype = type.dtype;
        desc.dims = type.dims;
        desc.lod_level = lod_level_of(block, inputs, type.dims);
        block.create_var(std::move(desc));
      } else if (existing.dtype() != type.dtype || !compatible(existing.dims(), type.dims)) {
        return invalid(op, "writes " + to_string(type) + " to '" + name + "', which is " +
                               to_string(TensorType{existing.dtype(), existing.dims()}));
      }
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::vector<std::string>>> ordered_names(const std::vector<SlotDef>& defs,
                                                            const Op::Slots& slots, const Op& op,
                                                            bool may_lack) {
  Names names;
  std::size_t known = 0;
  for (const SlotDef& def : defs) {
    const auto found = slots.find(def.name);
    const bool present = found != slots.end() && !found->second.empty();
    if (!present && !may_lack) return invalid(op, std::string("lacks its input ") + def.name);
    if (present && !def.variadic && found->second.size() > 1) {
      return invalid(op, std::string("takes one variable as ") + def.name);
    }
    names.push_back(present ? found->second : std::vector<std::string>());
    known += found != slots.end() ? 1U : 0U;
  }
  if (known != slots.size()) return invalid(op, "has a slot that this type of op doesn't have");
  return names;
}

Status append_op(Block& block, Op op) {
  RONDO_ASSIGN(const OpDef* def, OpRegistry::builtin().find(op.type));
  RONDO_ASSIGN(const Names inputs, ordered_names(def->inputs, op.inputs, op, false));
  RONDO_ASSIGN(const Names outputs, ordered_names(def->outputs, op.outputs, op, true));
  RONDO_ASSIGN(const Types read, input_types(block, op, inputs));
  const Types written = output_types(outputs);
  TypeContext context(op, *def, read.slots, written.slots);
  RONDO_TRY(def->infer(context));
  RONDO_TRY(create_outputs(block, op, inputs, outputs, written));
  block.append_op(std::move(op));
  return {};
}

}  // namespace rondo::nn
