// The worked kernels of docs/kernel-primitives.md, as nvcc compiles them. Their values are checked
// on the host (primitives_test).

#include "core/device/primitives/cuda_block.h"
#include "core/device/primitives/examples.h"

namespace rondo::primitives {

extern "C" __global__ void rondo_example_add(float* out, const float* a, const float* b,
                                             int count) {
  elementwise_add(CudaBlock(), out, a, b, count);
}

extern "C" __global__ void rondo_example_row_sums(float* out, const float* in, int rows,
                                                  int columns) {
  row_sums(CudaBlock(), out, in, rows, columns);
}

extern "C" __global__ void rondo_example_softmax_layer(float* y, SoftmaxLayer layer) {
  softmax_layer(CudaBlock(), y, layer);
}

}  // namespace rondo::primitives
