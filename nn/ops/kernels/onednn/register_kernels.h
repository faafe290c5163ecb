#pragma once

// Kernels of the oneDNN library, in f32 (it has no f64). Only for ops where it beats a plain loop.

namespace rondo::nn {

class KernelRegistry;

void add_onednn_kernels(KernelRegistry& registry);

// One function for each file of this folder.
void add_elementwise_add_onednn(KernelRegistry& registry);
void add_mul_onednn(KernelRegistry& registry);
void add_relu_onednn(KernelRegistry& registry);
void add_softmax_onednn(KernelRegistry& registry);

}  // namespace rondo::nn
