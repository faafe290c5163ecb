#pragma once

// Which part of a block the backward walk has to visit. Pure: reads the block, changes nothing.

#include <set>
#include <string>
#include <vector>

#include "rondo/nn/backward.h"

namespace rondo::nn {

struct GradientPath {
  /// Variables whose gradient is wanted: trainable parameters, fed variables that ask for it, and
  /// what is computed from them, up to where a gradient is stopped.
  std::set<std::string> wanted;
  /// Positions of the forward ops between those and the loss, in the block's order.
  std::vector<std::size_t> ops;
};

GradientPath find_gradient_path(const Block& block, const std::string& loss,
                                const BackwardOptions& options);

}  // namespace rondo::nn
