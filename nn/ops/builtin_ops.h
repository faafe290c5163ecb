#pragma once

// One function for each op file; each adds the op, and its gradient op where it has one.

namespace rondo::nn {

class OpRegistry;

void add_builtin_ops(OpRegistry& registry);

void add_accuracy(OpRegistry& registry);
void add_cross_entropy(OpRegistry& registry);
void add_elementwise_add(OpRegistry& registry);
void add_fill_constant(OpRegistry& registry);
void add_fill_zeros_like(OpRegistry& registry);
void add_mean(OpRegistry& registry);
void add_momentum(OpRegistry& registry);
void add_mul(OpRegistry& registry);
void add_random(OpRegistry& registry);
void add_relu(OpRegistry& registry);
void add_scale(OpRegistry& registry);
void add_sgd(OpRegistry& registry);
void add_softmax(OpRegistry& registry);
void add_sum(OpRegistry& registry);

}  // namespace rondo::nn
