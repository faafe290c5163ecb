#pragma once

// The program as places run it: a copy in which the gradient of the loss starts from what the
// executor feeds, instead of from 1, where it has to depend on the rank's share of the batch.

#include "core/status.h"
#include "rondo/nn/parallel_executor.h"

namespace rondo::nn {

/// `loss` may be empty: a program without backward is only copied.
/// InvalidArgument where the program has no backward part that starts from `loss`.
Result<Program> training_program(const Program& program, const std::string& loss,
                                 GradientScale scale);

}  // namespace rondo::nn
