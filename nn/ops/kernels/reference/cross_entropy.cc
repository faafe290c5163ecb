#include <algorithm>
#include <cmath>

#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/reference/class_label.h"
#include "nn/ops/kernels/reference/register_kernels.h"

namespace rondo::nn {
namespace {

// Keeps the logarithm finite where a probability has underflowed. The gradient uses the same bound
// but isn't cut off below it, so that such a row still learns.
constexpr double kSmallestProbability = 1e-20;

std::int64_t ignored_label(const KernelSetup& setup) {
  return setup.op->attribute<std::int64_t>("ignore_index", -100);
}

template <typename T>
Status cross_entropy(const KernelSetup& setup, const KernelArgs& args) {
  const std::int64_t classes = args.in(0).dims()[1];
  const T* x = args.in(0).data<T>();
  const auto* label = args.in(1).data<std::int64_t>();
  T* y = args.out(0)->data<T>();
  for (std::int64_t row = 0; row < args.in(1).count(); ++row) {
    y[row] = 0;
    if (label[row] == ignored_label(setup)) continue;
    RONDO_TRY(check_label(label[row], classes, row));
    y[row] =
        -std::log(std::max(x[row * classes + label[row]], static_cast<T>(kSmallestProbability)));
  }
  return {};
}

template <typename T>
Status cross_entropy_grad(const KernelSetup& setup, const KernelArgs& args) {
  const std::int64_t classes = args.in(0).dims()[1];
  const T* x = args.in(0).data<T>();
  const auto* label = args.in(1).data<std::int64_t>();
  const T* gradient = args.in(2).data<T>();
  T* dx = args.out(0)->data<T>();
  std::fill_n(dx, args.in(0).count(), T{0});
  for (std::int64_t row = 0; row < args.in(1).count(); ++row) {
    if (label[row] == ignored_label(setup)) continue;
    RONDO_TRY(check_label(label[row], classes, row));
    const std::int64_t at = row * classes + label[row];
    dx[at] = -gradient[row] / std::max(x[at], static_cast<T>(kSmallestProbability));
  }
  return {};
}

}  // namespace

void add_cross_entropy_reference(KernelRegistry& registry) {
  add_reference(registry, "cross_entropy", cross_entropy<float>, cross_entropy<double>);
  add_reference(registry, "cross_entropy_grad", cross_entropy_grad<float>,
                cross_entropy_grad<double>);
}

}  // namespace rondo::nn
