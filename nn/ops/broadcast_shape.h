#pragma once

// How a smaller operand Y lies in X: Y's axes are X's from `axis` on (-1: X's last ones), so X is
// [outer, middle, inner] and Y is [middle].

#include <optional>

#include "nn/ops/type_context.h"

namespace rondo::nn {

struct BroadcastShape {
  std::int64_t outer = 1;
  std::int64_t middle = 1;
  std::int64_t inner = 1;
};

/// Nothing where Y doesn't lie in X so.
std::optional<BroadcastShape> broadcast_shape(const Dims& x, const Dims& y, std::int64_t axis);

}  // namespace rondo::nn
