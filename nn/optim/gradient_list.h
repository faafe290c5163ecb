#pragma once

// The backward ops of a path, as a list that is not yet part of the block.

#include <string>
#include <vector>

#include "core/status.h"
#include "nn/ops/op_registry.h"
#include "nn/optim/gradient_path.h"

namespace rondo::nn {

/// The ops that carry the gradient of `loss` (computed by the first of them: the number 1) back
/// along `path`. A gradient may still be written by several of them.
/// Unsupported where an op on the way has no gradient.
Result<std::vector<Op>> make_gradient_ops(const Block& block, const Var& loss,
                                          const GradientPath& path, const OpRegistry& registry);

/// Gives each of several writers of X@GRAD its own X@GRAD@RENAME@i, and adds their sum behind the
/// last one.
std::vector<Op> join_repeated_gradients(std::vector<Op> ops);

}  // namespace rondo::nn
