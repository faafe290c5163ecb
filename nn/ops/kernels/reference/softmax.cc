#include <algorithm>
#include <cmath>

#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/reference/register_kernels.h"

namespace rondo::nn {
namespace {

// Shifted by the row's largest value, so that no exponential overflows.
template <typename T>
void softmax_row(const T* x, std::int64_t columns, T* out) {
  const T largest = *std::max_element(x, x + columns);
  T total = 0;
  for (std::int64_t j = 0; j < columns; ++j) {
    out[j] = std::exp(x[j] - largest);
    total += out[j];
  }
  for (std::int64_t j = 0; j < columns; ++j) out[j] /= total;
}

template <typename T>
Status softmax(const KernelSetup&, const KernelArgs& args) {
  const std::int64_t columns = args.in(0).dims().back();
  const T* x = args.in(0).data<T>();
  T* out = args.out(0)->data<T>();
  for (std::int64_t at = 0; at < args.in(0).count(); at += columns) {
    softmax_row(x + at, columns, out + at);
  }
  return {};
}

template <typename T>
Status softmax_grad(const KernelSetup&, const KernelArgs& args) {
  const std::int64_t columns = args.in(0).dims().back();
  const T* out = args.in(0).data<T>();
  const T* gradient = args.in(1).data<T>();
  T* dx = args.out(0)->data<T>();
  for (std::int64_t at = 0; at < args.in(0).count(); at += columns) {
    T dot = 0;
    for (std::int64_t j = at; j < at + columns; ++j) dot += out[j] * gradient[j];
    for (std::int64_t j = at; j < at + columns; ++j) dx[j] = out[j] * (gradient[j] - dot);
  }
  return {};
}

}  // namespace

void add_softmax_reference(KernelRegistry& registry) {
  add_reference(registry, "softmax", softmax<float>, softmax<double>);
  add_reference(registry, "softmax_grad", softmax_grad<float>, softmax_grad<double>);
}

}  // namespace rondo::nn
