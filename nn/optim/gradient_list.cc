#include "nn/optim/gradient_list.h"

#include <map>
#include <utility>

#include "nn/ops/startup.h"

namespace rondo::nn {
namespace {

constexpr std::string_view kSuffix = "@GRAD";

bool is_grad_name(const std::string& name) { return name.ends_with(kSuffix); }

std::string forward_name(const std::string& grad) {
  return grad.substr(0, grad.size() - kSuffix.size());
}

Op seed_op(const Var& loss) {
  Op op = fill_with(1.0);
  op.role = OpRole::kLossGradient;
  op.outputs["Out"] = {grad_name(loss.name())};
  op.attributes["dtype"] = std::string(rondo::to_string(loss.dtype()));
  op.attributes["dims"] = Dims{1};
  return op;
}

Op zeros_op(const std::string& grad) {
  Op op;
  op.type = "fill_zeros_like";
  op.role = OpRole::kBackward;
  op.inputs["X"] = {forward_name(grad)};
  op.outputs["Out"] = {grad};
  return op;
}

class Builder {
 public:
  explicit Builder(const GradientPath& path) : path_(path) {}

  void start(const Var& loss) {
    ops_.push_back(seed_op(loss));
    known_.insert(grad_name(loss.name()));
  }

  void add(Op op) {
    if (!drop_unwanted(op)) return;
    fill_unreached(op);
    for (const auto& [slot, names] : op.outputs) known_.insert(names.begin(), names.end());
    ops_.push_back(std::move(op));
  }

  std::vector<Op> take() { return std::move(ops_); }

 private:
  // Empties the names of gradients that nobody wants; false where none is left.
  bool drop_unwanted(Op& op) const {
    bool any = false;
    for (auto& [slot, names] : op.outputs) {
      for (std::string& name : names) {
        if (path_.wanted.count(forward_name(name)) == 0) name.clear();
        any = any || !name.empty();
      }
    }
    return any;
  }

  // A result that the loss doesn't depend on has gradient 0.
  void fill_unreached(const Op& op) {
    for (const auto& [slot, names] : op.inputs) {
      for (const std::string& name : names) {
        if (is_grad_name(name) && known_.insert(name).second) ops_.push_back(zeros_op(name));
      }
    }
  }

  const GradientPath& path_;
  std::vector<Op> ops_;
  std::set<std::string> known_;  // gradients that are written by now
};

Op sum_op(const std::string& grad, const std::vector<std::string>& parts) {
  Op op;
  op.type = "sum";
  op.role = OpRole::kBackward;
  op.inputs["X"] = parts;
  op.outputs["Out"] = {grad};
  return op;
}

std::map<std::string, std::size_t> count_writers(const std::vector<Op>& ops) {
  std::map<std::string, std::size_t> writers;
  for (const Op& op : ops) {
    for (const auto& [slot, names] : op.outputs) {
      for (const std::string& name : names) ++writers[name];
    }
  }
  writers.erase("");
  return writers;
}

}  // namespace

Result<std::vector<Op>> make_gradient_ops(const Block& block, const Var& loss,
                                          const GradientPath& path, const OpRegistry& registry) {
  Builder builder(path);
  builder.start(loss);
  for (std::size_t i = path.ops.size(); i-- > 0;) {
    const Op& forward = block.ops()[path.ops[i]];
    RONDO_ASSIGN(const OpDef* def, registry.find(forward.type));
    if (def->gradient == nullptr) {
      return Status(ErrorCode::kUnsupported, "op " + forward.type + " has no gradient, but '" +
                                                 loss.name() + "' depends on a parameter by it");
    }
    for (Op& op : def->gradient(forward)) builder.add(std::move(op));
  }
  return builder.take();
}

std::vector<Op> join_repeated_gradients(std::vector<Op> ops) {
  const auto writers = count_writers(ops);
  std::map<std::string, std::vector<std::string>> parts;
  std::vector<Op> joined;
  for (Op& op : ops) {
    std::vector<std::string> complete;
    for (auto& [slot, names] : op.outputs) {
      for (std::string& name : names) {
        if (name.empty() || writers.at(name) == 1) continue;
        const std::string whole = name;
        name += "@RENAME@" + std::to_string(parts[whole].size());
        parts[whole].push_back(name);
        if (parts[whole].size() == writers.at(whole)) complete.push_back(whole);
      }
    }
    joined.push_back(std::move(op));
    for (const std::string& grad : complete) joined.push_back(sum_op(grad, parts.at(grad)));
  }
  return joined;
}

}  // namespace rondo::nn
