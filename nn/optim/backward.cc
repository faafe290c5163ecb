// append_backward: find the way back, list its ops, join what is written twice, append.

#include "rondo/nn/backward.h"

#include <map>
#include <utility>

#include "core/status.h"
#include "nn/ops/append_op.h"
#include "nn/optim/gradient_list.h"

namespace rondo::nn {
namespace {

Status invalid(const std::string& what) { return Status(ErrorCode::kInvalidArgument, what); }

Status check_loss(Block& block, const Var& loss) {
  if (!loss || !(block.find_var(loss.name()) == loss)) {
    return invalid("append_backward: the loss isn't a variable of the default main program");
  }
  if (loss.dims() != Dims{1}) {
    return invalid("append_backward: the loss '" + loss.name() +
                   "' should be one number, [1], got " + to_string(loss.dims()) +
                   "; take its mean");
  }
  if (block.find_var(grad_name(loss.name()))) {
    return invalid("append_backward: the program has a backward part of '" + loss.name() +
                   "' already");
  }
  return {};
}

// Where each gradient is finished: the last op that writes it.
std::map<std::string, std::size_t> last_writers(const std::vector<Op>& ops) {
  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (const auto& [slot, names] : ops[i].outputs) {
      for (const std::string& name : names) last[name] = i;
    }
  }
  return last;
}

Result<std::vector<ParamGrad>> append(Block& block, const Var& loss,
                                      const BackwardOptions& options) {
  RONDO_TRY(check_loss(block, loss));
  const GradientPath path = find_gradient_path(block, loss.name(), options);
  RONDO_ASSIGN(std::vector<Op> ops, make_gradient_ops(block, loss, path, OpRegistry::builtin()));
  ops = join_repeated_gradients(std::move(ops));
  const auto last = last_writers(ops);
  std::vector<std::pair<Var, std::string>> found;
  for (const Var& var : block.vars()) {
    const std::string grad = grad_name(var.name());
    const auto writer = last.find(grad);
    if (!var.is_parameter() || writer == last.end()) continue;
    auto& pairs = ops[writer->second].role_vars;
    pairs.insert(pairs.end(), {var.name(), grad});
    found.emplace_back(var, grad);
  }
  if (found.empty()) {
    return invalid("append_backward: '" + loss.name() + "' depends on no trainable parameter");
  }
  for (Op& op : ops) RONDO_TRY(append_op(block, std::move(op)));
  std::vector<ParamGrad> result;
  for (const auto& [param, grad] : found) result.push_back({param, block.var(grad)});
  return result;
}

}  // namespace

inline namespace v1 {

std::vector<ParamGrad> append_backward(const Var& loss, const BackwardOptions& options) {
  return value_or_throw(append(default_main_program().global_block(), loss, options));
}

}  // namespace v1
}  // namespace rondo::nn
