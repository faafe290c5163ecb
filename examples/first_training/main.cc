// A whole training on one page: a program, its data, its steps, on as many ranks as the launcher
// starts (alone: one). It learns on which side of the line x + 2 y = 1 a point lies.

#include <cstdio>
#include <exception>
#include <random>
#include <vector>

#include "rondo/communicator.h"
#include "rondo/nn/executor.h"
#include "rondo/nn/layers.h"
#include "rondo/nn/optimizer.h"
#include "rondo/nn/parallel_executor.h"

namespace nn = rondo::nn;

namespace {

/// Every rank draws points of its own; their gradients are summed.
nn::Feed draw_points(std::mt19937& random, int count) {
  std::uniform_real_distribution<float> anywhere(-1, 2);
  std::vector<float> points;
  std::vector<std::int64_t> sides;
  for (int i = 0; i < count; ++i) {
    const float x = anywhere(random);
    const float y = anywhere(random);
    points.insert(points.end(), {x, y});
    sides.push_back(x + 2 * y > 1 ? 1 : 0);
  }
  return {{"points", nn::Tensor::from(points, {count, 2})},
          {"sides", nn::Tensor::from(sides, {count, 1})}};
}

void train() {
  rondo::Communicator world = rondo::Communicator::create();

  const nn::Var points = nn::data("points", {2});
  const nn::Var sides = nn::data("sides", {1}, {.dtype = rondo::DataType::kI64});
  const nn::Var guess = nn::softmax(nn::fc(points, 2));
  const nn::Var loss = nn::mean(nn::cross_entropy(guess, sides));
  const nn::Var accuracy = nn::accuracy(guess, sides);
  nn::Momentum(0.5, 0.9).minimize(loss);

  nn::Executor().run(nn::default_startup_program());  // rank 0's first values are everybody's
  nn::ParallelExecutor trainer(nn::default_main_program(), loss, world);

  std::mt19937 random(static_cast<unsigned>(world.rank()));
  for (int step = 1; step <= 200; ++step) {
    const auto means = trainer.run(draw_points(random, 64), {loss, accuracy}, nn::FetchMode::kMean);
    if (world.rank() == 0 && step % 50 == 0) {
      std::printf("step %3d  loss %.3f  accuracy %.1f %%\n", step,
                  static_cast<double>(means[0].data<float>()[0]),
                  100 * static_cast<double>(means[1].data<float>()[0]));
    }
  }
}

}  // namespace

int main() {
  try {
    train();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "first_training: %s\n", error.what());
    return 1;
  }
}
