#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/reference/register_kernels.h"

namespace rondo::nn {
namespace {

template <typename T>
Status relu(const KernelSetup&, const KernelArgs& args) {
  const T* x = args.in(0).data<T>();
  T* out = args.out(0)->data<T>();
  for (std::int64_t i = 0; i < args.in(0).count(); ++i) out[i] = x[i] > 0 ? x[i] : T{0};
  return {};
}

template <typename T>
Status relu_grad(const KernelSetup&, const KernelArgs& args) {
  const T* out = args.in(0).data<T>();
  const T* gradient = args.in(1).data<T>();
  T* dx = args.out(0)->data<T>();
  for (std::int64_t i = 0; i < args.in(0).count(); ++i) dx[i] = out[i] > 0 ? gradient[i] : T{0};
  return {};
}

}  // namespace

void add_relu_reference(KernelRegistry& registry) {
  add_reference(registry, "relu", relu<float>, relu<double>);
  add_reference(registry, "relu_grad", relu_grad<float>, relu_grad<double>);
}

}  // namespace rondo::nn
