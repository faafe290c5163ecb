#include "nn/parallel/training_program.h"

#include <algorithm>

#include "nn/ops/gradient.h"

namespace rondo::nn {

Result<Program> training_program(const Program& program, const std::string& loss,
                                 GradientScale scale) {
  Program copy = program.clone();
  if (loss.empty()) return copy;
  auto& ops = copy.global_block().mutable_ops();
  const auto seed = std::find_if(ops.begin(), ops.end(), [&](const Op& op) {
    return op.role == OpRole::kLossGradient && op.outputs.at("Out").front() == grad_name(loss);
  });
  if (seed == ops.end()) {
    return Status(ErrorCode::kInvalidArgument,
                  "the program has no backward part that starts from '" + loss +
                      "': call minimize on it first, or give no loss");
  }
  if (scale != GradientScale::kOne) ops.erase(seed);
  return copy;
}

}  // namespace rondo::nn
