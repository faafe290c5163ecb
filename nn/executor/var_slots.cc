#include "nn/executor/var_slots.h"

#include <algorithm>

namespace rondo::nn {
namespace {

Status invalid(const std::string& what) { return Status(ErrorCode::kInvalidArgument, what); }

std::string op_at(const Block& block, std::size_t position) {
  if (position >= block.ops().size()) return "a fetch";
  return "op " + block.ops()[position].type + " (number " + std::to_string(position) + ")";
}

}  // namespace

Status VarSlots::touch(const Block& block, const std::string& name, std::size_t op, bool read) {
  const auto [found, added] = index_.emplace(name, slots_.size());
  if (!added) {
    slots_[found->second].last = op;
    return {};
  }
  const VarDesc* desc = block.find_desc(name);
  if (desc == nullptr) {
    return invalid(op_at(block, op) + " names '" + name + "', which the program doesn't have");
  }
  VarSlot slot;
  slot.desc = *desc;
  slot.kind = desc->persistable ? VarKind::kPersistable : VarKind::kTemporary;
  slot.first = op;
  slot.last = op;
  slot.read_first = read;
  slots_.push_back(std::move(slot));
  return {};
}

Status VarSlots::check(const Block& block) const {
  for (const VarSlot& slot : slots_) {
    if (slot.kind == VarKind::kTemporary && slot.read_first) {
      return invalid(op_at(block, slot.first) + " reads '" + slot.desc.name +
                     "', which is neither fed nor computed before");
    }
    if (slot.kind == VarKind::kFed && !slot.read_first) {
      return invalid(op_at(block, slot.first) + " computes '" + slot.desc.name +
                     "', which is also fed");
    }
  }
  return {};
}

Result<VarSlots> VarSlots::build(const Block& block, const std::vector<std::string>& fed,
                                 const std::vector<std::string>& fetched,
                                 const std::map<std::string, Tensor>& pinned) {
  VarSlots table;
  for (std::size_t i = 0; i < block.ops().size(); ++i) {
    const Op& op = block.ops()[i];
    for (const auto& [slot, names] : op.inputs) {
      for (const std::string& name : names) RONDO_TRY(table.touch(block, name, i, true));
    }
    for (const auto& [slot, names] : op.outputs) {
      for (const std::string& name : names) {
        if (!name.empty()) RONDO_TRY(table.touch(block, name, i, false));
      }
    }
  }
  const std::size_t end = block.ops().size();
  for (const std::string& name : fetched) RONDO_TRY(table.touch(block, name, end, true));
  for (const std::string& name : fed) {
    RONDO_TRY(table.touch(block, name, end, true));
    table.at(name).kind = VarKind::kFed;
  }
  for (const auto& [name, tensor] : pinned) {
    if (table.index_.count(name) == 0) continue;
    table.at(name).kind = VarKind::kPinned;
    table.at(name).tensor = tensor;
  }
  RONDO_TRY(table.check(block));
  return table;
}

}  // namespace rondo::nn
