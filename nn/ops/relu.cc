// relu: Out = max(X, 0). Backward needs only the result: dX = dOut where Out > 0, else 0.

#include "nn/ops/builtin_ops.h"
#include "nn/ops/gradient.h"
#include "nn/ops/op_registry.h"

namespace rondo::nn {
namespace {

std::vector<Op> gradient(const Op& forward) {
  return {gradient_op(forward, {{}, {"Out"}, {"Out"}, {"X"}})};
}

}  // namespace

void add_relu(OpRegistry& registry) {
  registry.add({"relu", {{"X"}}, {{"Out"}}, infer_like_input, gradient});
  registry.add({"relu_grad", {{"Out"}, {"Out@GRAD"}}, {{"X@GRAD"}}, infer_like_input, nullptr});
}

}  // namespace rondo::nn
