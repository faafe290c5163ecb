#include <algorithm>

#include "nn/ops/broadcast_shape.h"
#include "nn/ops/kernels/kernel_registry.h"
#include "nn/ops/kernels/reference/register_kernels.h"

namespace rondo::nn {
namespace {

BroadcastShape shape_of(const KernelSetup& setup, const KernelArgs& args) {
  return *broadcast_shape(args.in(0).dims(), args.in(1).dims(),
                          setup.op->attribute<std::int64_t>("axis", -1));
}

template <typename T>
Status elementwise_add(const KernelSetup& setup, const KernelArgs& args) {
  const BroadcastShape s = shape_of(setup, args);
  const T* x = args.in(0).data<T>();
  const T* y = args.in(1).data<T>();
  T* out = args.out(0)->data<T>();
  for (std::int64_t o = 0; o < s.outer; ++o) {
    for (std::int64_t m = 0; m < s.middle; ++m) {
      for (std::int64_t i = 0; i < s.inner; ++i) {
        const std::int64_t at = (o * s.middle + m) * s.inner + i;
        out[at] = x[at] + y[m];
      }
    }
  }
  return {};
}

template <typename T>
void sum_to_y(const BroadcastShape& s, const T* gradient, T* dy) {
  std::fill_n(dy, s.middle, T{0});
  for (std::int64_t o = 0; o < s.outer; ++o) {
    for (std::int64_t m = 0; m < s.middle; ++m) {
      for (std::int64_t i = 0; i < s.inner; ++i) {
        dy[m] += gradient[(o * s.middle + m) * s.inner + i];
      }
    }
  }
}

template <typename T>
Status elementwise_add_grad(const KernelSetup& setup, const KernelArgs& args) {
  const T* gradient = args.in(2).data<T>();
  if (Tensor* dx = args.out(0)) std::copy_n(gradient, dx->count(), dx->data<T>());
  if (Tensor* dy = args.out(1)) sum_to_y(shape_of(setup, args), gradient, dy->data<T>());
  return {};
}

}  // namespace

void add_elementwise_add_reference(KernelRegistry& registry) {
  add_reference(registry, "elementwise_add", elementwise_add<float>, elementwise_add<double>);
  add_reference(registry, "elementwise_add_grad", elementwise_add_grad<float>,
                elementwise_add_grad<double>);
}

}  // namespace rondo::nn
