#include "examples/recognize_digits/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>

#include "examples/recognize_digits/agreement.h"
#include "examples/recognize_digits/evaluation.h"
#include "examples/recognize_digits/loss_file.h"
#include "examples/recognize_digits/model.h"
#include "examples/recognize_digits/report.h"
#include "examples/recognize_digits/training.h"
#include "rondo/nn/data.h"
#include "rondo/nn/executor.h"
#include "rondo/nn/parallel_executor.h"

namespace rondo::examples {
namespace {

constexpr int kFailure = 1;
constexpr int kUsageError = 2;

/// What suits a set: of the held-out images 97.7 % (digits) and 97.8 % (MNIST) are right then,
/// means of five seeds (docs/performance.md).
struct Suited {
  int epochs;
  std::size_t batch;
};
constexpr Suited kSmallSet = {30, 32};
constexpr Suited kLargeSet = {8, 128};
constexpr std::size_t kLargeSetImages = 10'000;

using Clock = std::chrono::steady_clock;

/// What goes into a job before its ranks work together.
struct Inputs {
  nn::TrainTest data;
  LossFile losses{""};
};

Options with_defaults(Options options, std::size_t images) {
  const Suited& suited = images < kLargeSetImages ? kSmallSet : kLargeSet;
  if (options.epochs == 0) options.epochs = suited.epochs;
  if (options.batch == 0) options.batch = suited.batch;
  return options;
}

/// Empty where the flags suit the world and the data; else what is wrong with them.
std::string unsuitable(const Options& options, const nn::TrainTest& data, int world_size) {
  if (options.batch < static_cast<std::size_t>(world_size)) {
    return fmt::format("--batch {}: one image for each of the {} ranks expected, at least",
                       options.batch, world_size);
  }
  if (options.batch > data.train->count()) {
    return fmt::format("--batch {}: at most the {} images of the set expected", options.batch,
                       data.train->count());
  }
  if (data.held_out->count() < static_cast<std::size_t>(world_size)) {
    return fmt::format("{} ranks: at most one for each of the {} held-out images expected",
                       world_size, data.held_out->count());
  }
  return {};
}

/// Loads what this process needs. Where some process can't, every one returns false, and the first
/// that can't says why.
bool load(const Options& options, World& world, Inputs& inputs) {
  constexpr std::int64_t kFine = std::numeric_limits<std::int64_t>::max();
  std::string failure;
  try {
    inputs.data = nn::load_images(options.data);
    inputs.losses = LossFile(world.prints() ? options.loss_file : "");
  } catch (const std::exception& error) {
    failure = error.what();
  }
  const std::int64_t speaker = world.smallest(failure.empty() ? kFine : world.first_rank());
  if (speaker == world.first_rank()) {
    fmt::print(stderr, "recognize_digits: rank {}: {}\n", world.first_rank(), failure);
  }
  return speaker == kFine;
}

void train_and_judge(const Options& options, World& world, Inputs& inputs) {
  const auto begin = Clock::now();
  const Report report(world);
  report.start(options, inputs.data);
  const Model model = build_model(options, *inputs.data.train);
  const nn::ExecutorOptions kernels{.library = nn::kernel_library_from(options.kernels)};
  nn::Scope scope;
  nn::Executor(Device::host(), kernels).run(model.startup, {}, {}, scope);
  const auto ranks = static_cast<std::size_t>(world.size());
  nn::ParallelExecutor train(model.train, model.loss, world.communicators(),
                             {.equal_shards = options.batch % ranks == 0, .executor = kernels},
                             scope);
  nn::ParallelExecutor test(model.test, train);

  Training training(options, *inputs.data.train, model, world, train);
  std::size_t left = options.steps != 0 ? options.steps : std::numeric_limits<std::size_t>::max();
  for (int epoch = 1; epoch <= options.epochs && left > 0; ++epoch) {
    const EpochResult result = training.run_epoch(left, inputs.losses, [&](std::size_t step) {
      report.step(epoch, step, training.steps_per_epoch());
    });
    left -= result.steps;
    report.epoch(epoch, options.epochs, result);
  }
  const std::size_t right = count_right(*inputs.data.held_out, model, world, test);
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  report.end(right, inputs.data.held_out->count(), seconds.count());
}

/// For what all ranks find wrong alike: one of them says it. True where there is nothing to say.
bool is_fine(const std::string& wrong, const World& world) {
  if (!wrong.empty() && world.prints()) fmt::print(stderr, "recognize_digits: {}\n", wrong);
  return wrong.empty();
}

}  // namespace

int run_job(const Options& given, World& world) {
  if (!is_fine(disagreement(settings_of(given), world), world)) return kUsageError;
  Inputs inputs;
  if (!load(given, world, inputs)) return kFailure;
  if (!is_fine(disagreement(settings_of(inputs.data), world), world)) return kUsageError;
  const Options options = with_defaults(given, inputs.data.train->count());
  if (!is_fine(unsuitable(options, inputs.data, world.size()), world)) return kUsageError;
  train_and_judge(options, world, inputs);
  inputs.losses.close();
  return 0;
}

}  // namespace rondo::examples
