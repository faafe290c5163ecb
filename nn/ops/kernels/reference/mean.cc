#include <algorithm>

#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/reference/register_kernels.h"

namespace rondo::nn {
namespace {

// Added up in f64 also for f32: a batch's mean is compared between runs with other splits.
template <typename T>
Status mean(const KernelSetup&, const KernelArgs& args) {
  const T* x = args.in(0).data<T>();
  double total = 0;
  for (std::int64_t i = 0; i < args.in(0).count(); ++i) total += static_cast<double>(x[i]);
  args.out(0)->data<T>()[0] = static_cast<T>(total / static_cast<double>(args.in(0).count()));
  return {};
}

template <typename T>
Status mean_grad(const KernelSetup&, const KernelArgs& args) {
  Tensor& dx = *args.out(0);
  std::fill_n(dx.data<T>(), dx.count(), args.in(1).data<T>()[0] / static_cast<T>(dx.count()));
  return {};
}

}  // namespace

void add_mean_reference(KernelRegistry& registry) {
  add_reference(registry, "mean", mean<float>, mean<double>);
  add_reference(registry, "mean_grad", mean_grad<float>, mean_grad<double>);
}

}  // namespace rondo::nn
