#include "nn/optim/gradient_path.h"

#include <algorithm>

namespace rondo::nn {
namespace {

bool is_float(DataType dtype) { return dtype == DataType::kF32 || dtype == DataType::kF64; }

template <typename Visit>
bool any_name(const Op::Slots& slots, const Visit& visit) {
  return std::any_of(slots.begin(), slots.end(), [&](const auto& slot) {
    return std::any_of(slot.second.begin(), slot.second.end(), visit);
  });
}

bool lets_gradient_pass(const VarDesc& var, const BackwardOptions& options) {
  return is_float(var.dtype) && !var.stop_gradient && options.no_grad.count(var.name) == 0;
}

// A variable that no op computes: does it want a gradient by itself?
bool is_wanted_leaf(const VarDesc& var, const BackwardOptions& options) {
  if (!var.parameter) return !var.persistable;
  if (!var.trainable) return false;
  const auto& chosen = options.parameters;
  return chosen.empty() || std::any_of(chosen.begin(), chosen.end(),
                                       [&](const VarName& name) { return name.text == var.name; });
}

std::set<std::string> computed_by_ops(const Block& block) {
  std::set<std::string> names;
  for (const Op& op : block.ops()) {
    for (const auto& [slot, vars] : op.outputs) names.insert(vars.begin(), vars.end());
  }
  return names;
}

std::set<std::string> find_wanted(const Block& block, const BackwardOptions& options) {
  std::set<std::string> wanted;
  const auto computed = computed_by_ops(block);
  for (const auto& var : block.var_descs()) {
    if (computed.count(var->name) == 0 && lets_gradient_pass(*var, options) &&
        is_wanted_leaf(*var, options)) {
      wanted.insert(var->name);
    }
  }
  const auto is_wanted = [&](const std::string& name) { return wanted.count(name) != 0; };
  for (const Op& op : block.ops()) {
    if (op.role != OpRole::kForward || !any_name(op.inputs, is_wanted)) continue;
    for (const auto& [slot, vars] : op.outputs) {
      for (const std::string& name : vars) {
        const VarDesc* var = block.find_desc(name);
        if (var != nullptr && lets_gradient_pass(*var, options)) wanted.insert(name);
      }
    }
  }
  return wanted;
}

}  // namespace

GradientPath find_gradient_path(const Block& block, const std::string& loss,
                                const BackwardOptions& options) {
  GradientPath path;
  path.wanted = find_wanted(block, options);
  std::set<std::string> reached;
  if (path.wanted.count(loss) != 0) reached.insert(loss);
  for (std::size_t i = block.ops().size(); i-- > 0;) {
    const Op& op = block.ops()[i];
    const auto is_reached = [&](const std::string& name) { return reached.count(name) != 0; };
    if (op.role != OpRole::kForward || !any_name(op.outputs, is_reached)) continue;
    path.ops.push_back(i);
    for (const auto& [slot, vars] : op.inputs) {
      for (const std::string& name : vars) {
        if (path.wanted.count(name) != 0) reached.insert(name);
      }
    }
  }
  std::reverse(path.ops.begin(), path.ops.end());
  return path;
}

}  // namespace rondo::nn
