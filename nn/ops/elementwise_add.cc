// elementwise_add: Out = X + Y, where Y may be smaller (a bias): its axes are some neighbouring
// axes of X. Backward: dX = dOut, dY = dOut summed over the axes that Y doesn't have.

#include "nn/ops/broadcast_shape.h"
#include "nn/ops/builtin_ops.h"
#include "nn/ops/gradient.h"
#include "nn/ops/op_registry.h"

namespace rondo::nn {

std::optional<BroadcastShape> broadcast_shape(const Dims& x, const Dims& y, std::int64_t axis) {
  const auto x_rank = static_cast<std::int64_t>(x.size());
  const auto y_rank = static_cast<std::int64_t>(y.size());
  const std::int64_t start = axis < 0 ? x_rank - y_rank : axis;
  if (start < 0 || start + y_rank > x_rank) return std::nullopt;
  BroadcastShape shape;
  for (std::int64_t i = 0; i < x_rank; ++i) {
    const std::int64_t size = x[static_cast<std::size_t>(i)];
    if (i < start) {
      shape.outer *= size;
    } else if (i >= start + y_rank) {
      shape.inner *= size;
    } else {
      if (!compatible(size, y[static_cast<std::size_t>(i - start)])) return std::nullopt;
      shape.middle *= size;
    }
  }
  return shape;
}

namespace {

Status infer(TypeContext& context) {
  const TensorType& x = context.input(0);
  const TensorType& y = context.input(1);
  const auto axis = context.op().attribute<std::int64_t>("axis", -1);
  if (x.dtype != y.dtype || !broadcast_shape(x.dims, y.dims, axis)) {
    return context.wrong_input(
        1, "as neighbouring axes of X, " + to_string(x) + ", from axis " + std::to_string(axis));
  }
  return infer_like_input(context);
}

std::vector<Op> gradient(const Op& forward) {
  return {gradient_op(forward, {{"X", "Y"}, {}, {"Out"}, {"X", "Y"}})};
}

}  // namespace

void add_elementwise_add(OpRegistry& registry) {
  registry.add({"elementwise_add", {{"X"}, {"Y"}}, {{"Out"}}, infer, gradient});
  registry.add({"elementwise_add_grad",
                {{"X"}, {"Y"}, {"Out@GRAD"}},
                {{"X@GRAD"}, {"Y@GRAD"}},
                infer_gradients,
                nullptr});
}

}  // namespace rondo::nn
