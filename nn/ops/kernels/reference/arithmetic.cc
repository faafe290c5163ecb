// sum and scale.

#include <algorithm>

#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/reference/register_kernels.h"

namespace rondo::nn {
namespace {

template <typename T>
Status sum(const KernelSetup&, const KernelArgs& args) {
  T* out = args.out(0)->data<T>();
  const std::int64_t count = args.out(0)->count();
  std::copy_n(args.in(0).data<T>(), count, out);
  for (std::size_t k = 1; k < args.inputs[0].size(); ++k) {
    const T* x = args.in(0, k).data<T>();
    for (std::int64_t i = 0; i < count; ++i) out[i] += x[i];
  }
  return {};
}

template <typename T>
Status scale(const KernelSetup& setup, const KernelArgs& args) {
  const T factor = static_cast<T>(setup.op->attribute<double>("scale", 1.0));
  const T* x = args.in(0).data<T>();
  T* out = args.out(0)->data<T>();
  for (std::int64_t i = 0; i < args.in(0).count(); ++i) out[i] = factor * x[i];
  return {};
}

}  // namespace

void add_arithmetic_reference(KernelRegistry& registry) {
  add_reference(registry, "sum", sum<float>, sum<double>);
  add_reference(registry, "scale", scale<float>, scale<double>);
}

}  // namespace rondo::nn
