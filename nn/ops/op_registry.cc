#include "nn/ops/op_registry.h"

#include <utility>

#include "nn/ops/builtin_ops.h"

namespace rondo::nn {

const OpRegistry& OpRegistry::builtin() {
  static const OpRegistry registry = [] {
    OpRegistry filled;
    add_builtin_ops(filled);
    return filled;
  }();
  return registry;
}

void OpRegistry::add(OpDef def) {
  const std::string type = def.type;
  defs_[type] = std::move(def);
}

Result<const OpDef*> OpRegistry::find(const std::string& type) const {
  const auto found = defs_.find(type);
  if (found == defs_.end()) {
    return Status(ErrorCode::kInvalidArgument, "no op is called '" + type + "'");
  }
  return &found->second;
}

}  // namespace rondo::nn
