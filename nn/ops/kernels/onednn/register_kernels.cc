#include "nn/ops/kernels/onednn/register_kernels.h"

namespace rondo::nn {

void add_onednn_kernels(KernelRegistry& registry) {
  add_elementwise_add_onednn(registry);
  add_mul_onednn(registry);
  add_relu_onednn(registry);
  add_softmax_onednn(registry);
}

}  // namespace rondo::nn
