#pragma once

// Reference kernels: plain loops, f32 and f64 from one template. They are the oracle that faster
// kernels are tested against, so they are written to be read, not to be fast.

namespace rondo::nn {

class KernelRegistry;

void add_reference_kernels(KernelRegistry& registry);

// One function for each file of this folder.
void add_accuracy_reference(KernelRegistry& registry);
void add_arithmetic_reference(KernelRegistry& registry);
void add_cross_entropy_reference(KernelRegistry& registry);
void add_elementwise_add_reference(KernelRegistry& registry);
void add_fill_reference(KernelRegistry& registry);
void add_mean_reference(KernelRegistry& registry);
void add_mul_reference(KernelRegistry& registry);
void add_random_reference(KernelRegistry& registry);
void add_relu_reference(KernelRegistry& registry);
void add_softmax_reference(KernelRegistry& registry);
void add_update_reference(KernelRegistry& registry);

}  // namespace rondo::nn
