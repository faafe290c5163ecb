#include "examples/recognize_digits/training.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "examples/recognize_digits/feed.h"
#include "rondo/error.h"

namespace rondo::examples {
namespace {

nn::Reader<std::vector<nn::Example>> shuffled_batches(const Options& options,
                                                      const nn::ImageSet& images) {
  // The set outlives the training (see the constructor); the reader needs no share in it.
  std::shared_ptr<const nn::ImageSet> borrowed(std::shared_ptr<void>(), &images);
  auto shuffled = nn::shuffle(nn::read_examples(std::move(borrowed)), images.count(), options.seed);
  return nn::batch(std::move(shuffled), options.batch, true);
}

}  // namespace

std::span<const nn::Example> share_of(const World& world, const std::vector<nn::Example>& batch) {
  const int last_rank = world.first_rank() + world.places() - 1;
  const nn::ShardRange first = nn::shard_range(batch.size(), world.first_rank(), world.size());
  const nn::ShardRange last = nn::shard_range(batch.size(), last_rank, world.size());
  return std::span(batch).subspan(first.begin, last.begin + last.count - first.begin);
}

Training::Training(const Options& options, const nn::ImageSet& images, const Model& model,
                   const World& world, nn::ParallelExecutor& executor)
    : model_(model),
      world_(world),
      executor_(executor),
      pixel_max_(images.pixel_max),
      steps_per_epoch_(images.count() / options.batch),
      batches_(shuffled_batches(options, images)) {}

EpochResult Training::run_epoch(std::size_t step_limit, LossFile& losses,
                                const std::function<void(std::size_t step)>& on_step) {
  const auto begin = std::chrono::steady_clock::now();
  EpochResult sum;
  const auto stream = batches_();
  while (sum.steps < step_limit) {
    const std::optional<std::vector<nn::Example>> batch = stream();
    if (!batch) break;
    const std::vector<nn::Tensor> means =
        executor_.run(make_feed(model_, share_of(world_, *batch), pixel_max_),
                      {model_.loss, model_.accuracy}, nn::FetchMode::kMean);
    const double loss = scalar(means[0]);
    losses.write(loss);
    if (!std::isfinite(loss)) {  // on all ranks alike
      throw Error(ErrorCode::kInvalidArgument,
                  "the loss is " + std::to_string(loss) + " after step " +
                      std::to_string(sum.steps + 1) +
                      ": the training has diverged; try a smaller --learning-rate");
    }
    sum.loss += loss;
    sum.accuracy += scalar(means[1]);
    sum.images += batch->size();
    on_step(++sum.steps);
  }
  const auto steps = static_cast<double>(sum.steps);
  sum.loss /= steps;
  sum.accuracy /= steps;
  sum.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return sum;
}

}  // namespace rondo::examples
