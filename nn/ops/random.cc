// uniform_random in [low, high) and gaussian_random (mean, deviation): first values of parameters.
// A `seed` of 0 stands for the program's.

#include "nn/ops/builtin_ops.h"
#include "nn/ops/filled_type.h"
#include "nn/ops/op_registry.h"

namespace rondo::nn {

void add_random(OpRegistry& registry) {
  registry.add({"uniform_random", {}, {{"Out"}}, infer_filled, nullptr});
  registry.add({"gaussian_random", {}, {{"Out"}}, infer_filled, nullptr});
}

}  // namespace rondo::nn
