#pragma once

// One pass over the training images: constant global batches, each cut into the ranks' shares, so
// that the model learns the same whatever the number of ranks.

#include <functional>
#include <span>

#include "examples/recognize_digits/loss_file.h"
#include "examples/recognize_digits/model.h"
#include "examples/recognize_digits/report.h"
#include "examples/recognize_digits/world.h"
#include "rondo/nn/data.h"
#include "rondo/nn/parallel_executor.h"

namespace rondo::examples {

/// The part of a global batch that this process's ranks work on.
std::span<const nn::Example> share_of(const World& world, const std::vector<nn::Example>& batch);

class Training {
 public:
  /// Everything given outlives the object.
  Training(const Options& options, const nn::ImageSet& images, const Model& model,
           const World& world, nn::ParallelExecutor& executor);

  std::size_t steps_per_epoch() const { return steps_per_epoch_; }

  /// At most `step_limit` steps. Every rank makes the same.
  EpochResult run_epoch(std::size_t step_limit, LossFile& losses,
                        const std::function<void(std::size_t step)>& on_step);

 private:
  const Model& model_;
  const World& world_;
  nn::ParallelExecutor& executor_;
  std::uint8_t pixel_max_;
  std::size_t steps_per_epoch_;
  nn::Reader<std::vector<nn::Example>> batches_;
};

}  // namespace rondo::examples
