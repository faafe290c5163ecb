#include <cstring>

#include "core/status.h"
#include "nn/ops/op_def.h"
#include "rondo/nn/executor.h"

namespace rondo::nn::inline v1 {

const Tensor* Scope::find_var(const std::string& name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent_) {
    if (const auto found = scope->vars_.find(name); found != scope->vars_.end()) {
      return &found->second;
    }
  }
  return nullptr;
}

const Tensor& Scope::value(const VarName& name) const {
  const Tensor* found = find_var(name.text);
  if (found == nullptr || found->empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                "variable '" + name.text + "' has no value in this scope");
  }
  return *found;
}

void Scope::assign(const VarName& name, const Tensor& value) const {
  const Tensor& target = this->value(name);
  const TensorType expected{target.dtype(), target.dims()};
  const TensorType got{value.dtype(), value.dims()};
  if (value.empty() || !(expected == got)) {
    throw Error(ErrorCode::kInvalidArgument, "variable '" + name.text + "' is " +
                                                 to_string(expected) + ", got " + to_string(got));
  }
  std::memcpy(target.data(), value.data(), target.bytes());
}

Scope& global_scope() {
  static Scope scope;
  return scope;
}

}  // namespace rondo::nn::inline v1
