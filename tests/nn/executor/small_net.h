#pragma once

// A classifier of points in the plane by which side of two lines they lie on, and its data.

#include "rondo/nn/executor.h"
#include "rondo/nn/layers.h"
#include "rondo/nn/optimizer.h"

namespace rondo::nn {

struct SmallNet {
  Program main;
  Program startup;
  Var prediction;
  Var loss;
  Var right;

  explicit SmallNet(DataType dtype = DataType::kF32) {
    const ProgramGuard guard(main, startup);
    startup.set_random_seed(17);
    const Var x = data("x", {2}, {.dtype = dtype});
    const Var label = data("label", {1}, {.dtype = DataType::kI64});
    prediction = fc(fc(x, 16, {.act = "relu"}), 3, {.act = "softmax"});
    loss = mean(cross_entropy(prediction, label));
    right = accuracy(prediction, label);
  }

  std::vector<ParamGrad> minimize(Optimizer& optimizer) {
    const ProgramGuard guard(main, startup);
    return optimizer.minimize(loss);
  }
};

/// Samples [first, first + count) of an endless series.
Feed small_batch(DataType dtype, std::int64_t first, std::int64_t count);

}  // namespace rondo::nn
