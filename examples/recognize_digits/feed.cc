#include "examples/recognize_digits/feed.h"

namespace rondo::examples {
namespace {

template <typename Number>
void fill(std::span<const nn::Example> examples, std::uint8_t pixel_max, nn::Tensor& images) {
  nn::copy_pixels(
      examples, pixel_max,
      std::span<Number>(images.data<Number>(), static_cast<std::size_t>(images.count())));
}

}  // namespace

nn::Feed make_feed(const Model& model, std::span<const nn::Example> examples,
                   std::uint8_t pixel_max) {
  const auto count = static_cast<std::int64_t>(examples.size());
  nn::Tensor images(model.image.dtype(), {count, model.image.dims().back()});
  nn::Tensor labels(DataType::kI64, {count, 1});
  if (images.dtype() == DataType::kF64) {
    fill<double>(examples, pixel_max, images);
  } else {
    fill<float>(examples, pixel_max, images);
  }
  auto* label = labels.data<std::int64_t>();
  for (const nn::Example& example : examples) *label++ = example.label;
  return {{model.image.name(), images}, {model.label.name(), labels}};
}

double scalar(const nn::Tensor& tensor) {
  return tensor.dtype() == DataType::kF64 ? *tensor.data<double>()
                                          : static_cast<double>(*tensor.data<float>());
}

}  // namespace rondo::examples
