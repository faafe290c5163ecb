#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/reference/register_kernels.h"
#include "nn/ops/matrix_shape.h"

namespace rondo::nn {
namespace {

// A matrix by its two strides.
template <typename T>
struct Matrix {
  const T* data;
  std::int64_t row_stride;
  std::int64_t column_stride;

  T at(std::int64_t row, std::int64_t column) const {
    return data[row * row_stride + column * column_stride];
  }
};

// target[i, j] = sum over k of a[i, k] * b[k, j].
template <typename T>
void multiply(Matrix<T> a, Matrix<T> b, T* target, std::int64_t rows, std::int64_t inner,
              std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i) {
    T* row = target + i * columns;
    for (std::int64_t j = 0; j < columns; ++j) row[j] = 0;
    for (std::int64_t k = 0; k < inner; ++k) {
      const T factor = a.at(i, k);
      for (std::int64_t j = 0; j < columns; ++j) row[j] += factor * b.at(k, j);
    }
  }
}

template <typename T>
Status mul(const KernelSetup& setup, const KernelArgs& args) {
  const MatrixShape m = matrix_shape(args.in(0).dims(), args.in(1).dims(), row_axes(*setup.op));
  multiply<T>({args.in(0).data<T>(), m.inner, 1}, {args.in(1).data<T>(), m.columns, 1},
              args.out(0)->data<T>(), m.rows, m.inner, m.columns);
  return {};
}

template <typename T>
Status mul_grad(const KernelSetup& setup, const KernelArgs& args) {
  const MatrixShape m = matrix_shape(args.in(0).dims(), args.in(1).dims(), row_axes(*setup.op));
  const T* gradient = args.in(2).data<T>();
  if (Tensor* dx = args.out(0)) {
    multiply<T>({gradient, m.columns, 1}, {args.in(1).data<T>(), 1, m.columns}, dx->data<T>(),
                m.rows, m.columns, m.inner);
  }
  if (Tensor* dy = args.out(1)) {
    multiply<T>({args.in(0).data<T>(), 1, m.inner}, {gradient, m.columns, 1}, dy->data<T>(),
                m.inner, m.rows, m.columns);
  }
  return {};
}

}  // namespace

void add_mul_reference(KernelRegistry& registry) {
  add_reference(registry, "mul", mul<float>, mul<double>);
  add_reference(registry, "mul_grad", mul_grad<float>, mul_grad<double>);
}

}  // namespace rondo::nn
