#include <rondo/communicator.h>
#include <rondo/nn/executor.h>
#include <rondo/nn/layers.h>
#include <rondo/nn/optimizer.h>
#include <rondo/nn/parallel_executor.h>

#include <cstdio>
#include <vector>

namespace nn = rondo::nn;

int main() {
  rondo::Communicator world = rondo::Communicator::create();
  const nn::Var x = nn::data("x", {1});
  const nn::Var mean = nn::mean(x);
  const nn::Var loss = nn::mean(nn::fc(x, 1));
  nn::SGD(0.5).minimize(loss);
  nn::Executor().run(nn::default_startup_program());
  nn::ParallelExecutor trainer(nn::default_main_program(), loss, world);
  const float mine = static_cast<float>(world.rank()) + 0.25F;
  const nn::Feed feed = {{"x", nn::Tensor::from(std::vector<float>{mine}, {1, 1})}};
  const auto means = trainer.run(feed, {mean}, nn::FetchMode::kMean);
  const double sum = static_cast<double>(means[0].data<float>()[0]) * world.size();
  if (world.rank() == 0) std::printf("nn: sum %.2f of %d\n", sum, world.size());
}
