#pragma once

#include <set>
#include <string>
#include <vector>

#include "rondo/export.h"
#include "rondo/nn/program.h"

namespace rondo::nn::inline v1 {

struct ParamGrad {
  Var param;
  Var grad;
};

struct BackwardOptions {
  /// The parameters to differentiate by; empty: all trainable ones.
  std::vector<VarName> parameters = {};
  /// Variables that no gradient flows to or past, besides those marked stop_gradient.
  std::set<std::string> no_grad = {};
};

/// Appends to the default main program the ops that compute d loss / d X as the variable X@GRAD,
/// for all X on the way from the parameters to `loss`. Where X has several readers their parts are
/// X@GRAD@RENAME@0, 1, ... and X@GRAD is their sum.
/// Returns the parameters that `loss` depends on, in the order of their creation.
/// Errors: InvalidArgument where `loss` isn't one floating-point number or depends on nothing
/// trainable; Unsupported where an op on the way has no gradient.
RONDO_API std::vector<ParamGrad> append_backward(const Var& loss,
                                                 const BackwardOptions& options = {});

/// The name of the gradient of the variable called `name`.
RONDO_API std::string grad_name(const std::string& name);

}  // namespace rondo::nn::inline v1
