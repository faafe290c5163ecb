#include "nn/executor/compiled_program.h"

#include "nn/executor/bind.h"

namespace rondo::nn {

Result<std::unique_ptr<CompiledProgram>> CompiledProgram::compile(
    const Program& program, const std::vector<std::string>& fed,
    const std::vector<std::string>& fetched, const CompileOptions& options) {
  const Block& block = program.global_block();
  auto compiled = std::make_unique<CompiledProgram>();
  RONDO_ASSIGN(compiled->slots_, VarSlots::build(block, fed, fetched, *options.pinned));
  compiled->fetched_ = fetched;
  for (const Op& op : block.ops()) {
    RONDO_ASSIGN(auto step, make_step(op, compiled->slots_, options.step));
    compiled->steps_.push_back(std::move(step));
  }
  compiled->memory_.plan(compiled->slots_);
  return compiled;
}

Status CompiledProgram::bind_fed(const Feed& feed) {
  for (const auto& [name, tensor] : feed) {
    VarSlot& slot = slots_.at(name);
    RONDO_TRY(check_fed(slot.desc, tensor));
    stale_ = stale_ || slot.tensor.dims() != tensor.dims() || slot.tensor.lod() != tensor.lod();
    slot.tensor = tensor;
    slot.type = {tensor.dtype(), tensor.dims()};
  }
  return {};
}

Status CompiledProgram::bind_persistable(Scope& scope) {
  for (VarSlot& slot : slots_.all()) {
    if (slot.kind != VarKind::kPersistable) continue;
    RONDO_ASSIGN(slot.tensor, persistable_value(slot.desc, slot.read_first, scope));
    slot.type = {slot.desc.dtype, slot.desc.dims};
  }
  return {};
}

Status CompiledProgram::infer_types() {
  for (VarSlot& slot : slots_.all()) {
    if (slot.kind == VarKind::kPinned) slot.type = {slot.desc.dtype, slot.desc.dims};
  }
  for (const auto& step : steps_) RONDO_TRY(step->infer());
  for (const VarSlot& slot : slots_.all()) {
    const bool fixed = slot.kind == VarKind::kPinned || slot.kind == VarKind::kPersistable;
    if (fixed && slot.type.dims != slot.tensor.dims()) {
      return Status(ErrorCode::kInvalidArgument,
                    "variable '" + slot.desc.name + "' is " + to_string(slot.tensor.dims()) +
                        " and can't take a result of " + to_string(slot.type.dims));
    }
  }
  return {};
}

// By default an op's first result has the sequences of its first input, if it has as many rows.
void CompiledProgram::hand_on_sequences() {
  for (const auto& step : steps_) {
    const auto& args = step->args;
    if (args.inputs.empty() || args.inputs[0].empty() || args.outputs[0].empty()) continue;
    const Tensor& source = *args.inputs[0][0];
    Tensor* target = args.outputs[0][0];
    if (target == nullptr || source.lod().empty() || target->dims().empty()) continue;
    if (target->dims()[0] == source.dims()[0]) target->set_lod(source.lod());
  }
}

Status CompiledProgram::run_steps(const OpHook& hook) {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (Status status = steps_[i]->kernel->run(steps_[i]->args); !status.ok()) {
      return std::move(status).at("op " + std::to_string(i + 1) + "/" +
                                  std::to_string(steps_.size()) + " " + steps_[i]->op.type);
    }
    if (hook) RONDO_TRY(hook(i));
  }
  return {};
}

Result<std::vector<Tensor>> CompiledProgram::run(const Feed& feed, Scope& scope,
                                                 const OpHook& hook) {
  RONDO_TRY(bind_fed(feed));
  RONDO_TRY(bind_persistable(scope));
  if (stale_) {
    RONDO_TRY(infer_types());
    memory_.bind(slots_);
    hand_on_sequences();
    stale_ = false;
  }
  RONDO_TRY(run_steps(hook));
  std::vector<Tensor> results;
  for (const std::string& name : fetched_) results.push_back(slots_.at(name).tensor.clone());
  return results;
}

}  // namespace rondo::nn
