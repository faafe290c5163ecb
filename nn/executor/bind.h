#pragma once

// What a run takes from outside: fed tensors and the scope's persistable variables, each checked
// against what the program says about the variable.

#include "core/status.h"
#include "rondo/nn/executor.h"

namespace rondo::nn {

/// InvalidArgument, with the type and shape expected and received, where `tensor` can't be `var`.
Status check_fed(const VarDesc& var, const Tensor& tensor);

/// A handle on the scope's variable. Where it has no value, or one of another shape, it is created
/// in `scope`; but that is InvalidArgument where the program reads it before it writes it
/// (`needs_value`).
Result<Tensor> persistable_value(const VarDesc& var, bool needs_value, Scope& scope);

}  // namespace rondo::nn
