#include "nn/ops/builtin_ops.h"

namespace rondo::nn {

void add_builtin_ops(OpRegistry& registry) {
  add_accuracy(registry);
  add_cross_entropy(registry);
  add_elementwise_add(registry);
  add_fill_constant(registry);
  add_fill_zeros_like(registry);
  add_mean(registry);
  add_momentum(registry);
  add_mul(registry);
  add_random(registry);
  add_relu(registry);
  add_scale(registry);
  add_sgd(registry);
  add_softmax(registry);
  add_sum(registry);
}

}  // namespace rondo::nn
