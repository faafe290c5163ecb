#include "nn/executor/step.h"

#include "nn/ops/append_op.h"

namespace rondo::nn {
namespace {

using Names = std::vector<std::vector<std::string>>;

void resolve(const Names& names, VarSlots& slots, std::vector<std::vector<Tensor*>>& tensors,
             SlotTypes& types) {
  for (const auto& slot : names) {
    auto& tensor_list = tensors.emplace_back();
    auto& type_list = types.emplace_back();
    for (const std::string& name : slot) {
      VarSlot* found = name.empty() ? nullptr : &slots.at(name);
      tensor_list.push_back(found == nullptr ? nullptr : &found->tensor);
      type_list.push_back(found == nullptr ? nullptr : &found->type);
    }
  }
}

// An op's element type is its first input's, or its first output's where it reads nothing.
DataType kernel_type(const Names& inputs, const Names& outputs, VarSlots& slots) {
  for (const Names* names : {&inputs, &outputs}) {
    for (const auto& slot : *names) {
      if (!slot.empty() && !slot[0].empty()) return slots.at(slot[0]).desc.dtype;
    }
  }
  return DataType::kF32;
}

}  // namespace

Status Step::infer() {
  TypeContext context(op, *def, input_types, output_types);
  return def->infer(context);
}

Result<std::unique_ptr<Step>> make_step(const Op& op, VarSlots& slots, const StepOptions& options) {
  auto step = std::make_unique<Step>();
  step->op = op;
  RONDO_ASSIGN(step->def, OpRegistry::builtin().find(op.type));
  RONDO_ASSIGN(const Names inputs, ordered_names(step->def->inputs, op.inputs, op, false));
  RONDO_ASSIGN(const Names outputs, ordered_names(step->def->outputs, op.outputs, op, true));
  resolve(inputs, slots, step->args.inputs, step->input_types);
  resolve(outputs, slots, step->args.outputs, step->output_types);
  const KernelSetup setup{&step->op, options.program_seed, options.counters};
  RONDO_ASSIGN(step->kernel, choose_kernel(builtin_kernels(), options.library, options.device,
                                           kernel_type(inputs, outputs, slots), setup));
  return step;
}

}  // namespace rondo::nn
