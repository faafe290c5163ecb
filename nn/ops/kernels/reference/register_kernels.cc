#include "nn/ops/kernels/reference/register_kernels.h"

namespace rondo::nn {

void add_reference_kernels(KernelRegistry& registry) {
  add_accuracy_reference(registry);
  add_arithmetic_reference(registry);
  add_cross_entropy_reference(registry);
  add_elementwise_add_reference(registry);
  add_fill_reference(registry);
  add_mean_reference(registry);
  add_mul_reference(registry);
  add_random_reference(registry);
  add_relu_reference(registry);
  add_softmax_reference(registry);
  add_update_reference(registry);
}

}  // namespace rondo::nn
