#pragma once

// All types of ops, by name. Filled once with the built-in ones, then only read.

#include <map>
#include <string>

#include "nn/ops/op_def.h"

namespace rondo::nn {

class OpRegistry {
 public:
  /// The process's registry, with every built-in op.
  static const OpRegistry& builtin();

  void add(OpDef def);
  /// InvalidArgument where no op is called `type`.
  Result<const OpDef*> find(const std::string& type) const;

 private:
  std::map<std::string, OpDef> defs_;
};

}  // namespace rondo::nn
