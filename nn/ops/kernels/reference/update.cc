// sgd and momentum: each element is read before it is written, so outputs may be the inputs.

#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/reference/register_kernels.h"

namespace rondo::nn {
namespace {

template <typename T>
Status sgd(const KernelSetup&, const KernelArgs& args) {
  const T* param = args.in(0).data<T>();
  const T* gradient = args.in(1).data<T>();
  const T rate = args.in(2).data<T>()[0];
  T* updated = args.out(0)->data<T>();
  for (std::int64_t i = 0; i < args.in(0).count(); ++i) {
    updated[i] = param[i] - rate * gradient[i];
  }
  return {};
}

template <typename T>
Status momentum(const KernelSetup& setup, const KernelArgs& args) {
  const T mu = static_cast<T>(setup.op->attribute<double>("mu", 0.0));
  const bool nesterov = setup.op->attribute<bool>("use_nesterov", false);
  const T* param = args.in(0).data<T>();
  const T* gradient = args.in(1).data<T>();
  const T* velocity = args.in(2).data<T>();
  const T rate = args.in(3).data<T>()[0];
  T* updated = args.out(0)->data<T>();
  T* updated_velocity = args.out(1)->data<T>();
  for (std::int64_t i = 0; i < args.in(0).count(); ++i) {
    const T v = mu * velocity[i] + gradient[i];
    updated[i] = param[i] - rate * (nesterov ? gradient[i] + mu * v : v);
    updated_velocity[i] = v;
  }
  return {};
}

}  // namespace

void add_update_reference(KernelRegistry& registry) {
  add_reference(registry, "sgd", sgd<float>, sgd<double>);
  add_reference(registry, "momentum", momentum<float>, momentum<double>);
}

}  // namespace rondo::nn
