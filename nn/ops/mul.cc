// mul: Out = X * Y as matrices. X is flattened to rows at x_num_col_dims, Y is [inner, columns].
// Backward: dX = dOut * Y^T, dY = X^T * dOut.

#include "nn/ops/builtin_ops.h"
#include "nn/ops/gradient.h"
#include "nn/ops/matrix_shape.h"
#include "nn/ops/op_registry.h"

namespace rondo::nn {
namespace {

Status infer(TypeContext& context) {
  const TensorType& x = context.input(0);
  const TensorType& y = context.input(1);
  const std::size_t rows = row_axes(context.op());
  if (rows < 1 || x.dims.size() <= rows) {
    return context.wrong_input(0, "of more than " + std::to_string(rows) + " axes");
  }
  std::int64_t inner = 1;
  for (std::size_t i = rows; i < x.dims.size(); ++i) {
    if (x.dims[i] < 0) {
      return context.wrong_input(0, "of known size from axis " + std::to_string(rows) + " on");
    }
    inner *= x.dims[i];
  }
  if (y.dtype != x.dtype || y.dims.size() != 2 || y.dims[0] != inner) {
    return context.wrong_input(
        1, std::string(rondo::to_string(x.dtype)) + " [" + std::to_string(inner) + ", any]");
  }
  Dims dims(x.dims.begin(), x.dims.begin() + static_cast<std::ptrdiff_t>(rows));
  dims.push_back(y.dims[1]);
  context.set_output(0, {x.dtype, dims});
  return {};
}

std::vector<Op> gradient(const Op& forward) {
  return {gradient_op(forward, {{"X", "Y"}, {}, {"Out"}, {"X", "Y"}})};
}

}  // namespace

void add_mul(OpRegistry& registry) {
  registry.add({"mul", {{"X"}, {"Y"}}, {{"Out"}}, infer, gradient});
  registry.add({"mul_grad",
                {{"X"}, {"Y"}, {"Out@GRAD"}},
                {{"X@GRAD"}, {"Y@GRAD"}},
                infer_gradients,
                nullptr});
}

}  // namespace rondo::nn
