#include "examples/recognize_digits/evaluation.h"

#include <cmath>
#include <memory>

#include "examples/recognize_digits/feed.h"
#include "examples/recognize_digits/training.h"

namespace rondo::examples {
namespace {

/// A global batch: small enough for memory, and for its share of right answers, a float, to tell
/// one answer more or less (a float tells 1/2^24).
constexpr std::size_t kBatch = 4096;

std::vector<nn::Example> slice(const nn::ImageSet& images, nn::ShardRange range) {
  std::vector<nn::Example> examples;
  const std::span<const std::uint8_t> pixels(images.pixels);
  for (std::size_t i = range.begin; i < range.begin + range.count; ++i) {
    examples.push_back(
        {pixels.subspan(i * images.image_pixels(), images.image_pixels()), images.labels[i]});
  }
  return examples;
}

}  // namespace

std::size_t count_right(const nn::ImageSet& images, const Model& model, const World& world,
                        nn::ParallelExecutor& executor) {
  std::size_t right = 0;
  // Batches of nearly equal size, so that even the last one has an image for each rank.
  const auto batches = static_cast<int>((images.count() + kBatch - 1) / kBatch);
  for (int b = 0; b < batches; ++b) {
    const auto batch = slice(images, nn::shard_range(images.count(), b, batches));
    const std::vector<nn::Tensor> mean =
        executor.run(make_feed(model, share_of(world, batch), images.pixel_max), {model.accuracy},
                     nn::FetchMode::kMean);
    right +=
        static_cast<std::size_t>(std::lround(scalar(mean[0]) * static_cast<double>(batch.size())));
  }
  return right;
}

}  // namespace rondo::examples
