#include "examples/recognize_digits/model.h"

#include <memory>

#include "rondo/nn/layers.h"
#include "rondo/nn/optimizer.h"

namespace rondo::examples {
namespace {

std::unique_ptr<nn::Optimizer> make_optimizer(const Options& options) {
  if (options.optimizer == "sgd") return std::make_unique<nn::SGD>(options.learning_rate);
  return std::make_unique<nn::Momentum>(options.learning_rate, options.momentum);
}

}  // namespace

Model build_model(const Options& options, const nn::ImageSet& images) {
  Model model;
  model.startup.set_random_seed(options.seed);
  const nn::ProgramGuard guard(model.train, model.startup);
  const DataType dtype = options.precision == "f64" ? DataType::kF64 : DataType::kF32;

  model.image =
      nn::data("image", {static_cast<std::int64_t>(images.image_pixels())}, {.dtype = dtype});
  model.label = nn::data("label", {1}, {.dtype = DataType::kI64});
  nn::Var layer = model.image;
  for (const std::int64_t width : options.hidden) layer = nn::fc(layer, width, {.act = "relu"});
  const nn::Var prediction = nn::fc(layer, images.classes, {.act = "softmax"});
  model.loss = nn::mean(nn::cross_entropy(prediction, model.label));
  model.accuracy = nn::accuracy(prediction, model.label);

  // Before minimize, so that the copy has neither backward nor update.
  model.test = model.train.clone(true);
  make_optimizer(options)->minimize(model.loss);
  return model;
}

}  // namespace rondo::examples
