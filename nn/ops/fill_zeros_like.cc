// fill_zeros_like: zeros in X's shape; the gradient of a result that the loss doesn't depend on.

#include "nn/ops/builtin_ops.h"
#include "nn/ops/gradient.h"
#include "nn/ops/op_registry.h"

namespace rondo::nn {

void add_fill_zeros_like(OpRegistry& registry) {
  registry.add({"fill_zeros_like", {{"X"}}, {{"Out"}}, infer_like_input, nullptr});
}

}  // namespace rondo::nn
