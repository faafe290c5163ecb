// Readers over a set in memory, and the way of its pixels into a tensor.

#include <fmt/format.h>

#include <utility>

#include "rondo/nn/data.h"

namespace rondo::nn {
namespace {

template <typename Number>
void scale_pixels(std::span<const Example> examples, std::uint8_t pixel_max,
                  std::span<Number> target) {
  std::size_t pixels = 0;
  for (const Example& example : examples) pixels += example.pixels.size();
  if (pixels != target.size() || pixel_max == 0) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("copy_pixels: room for {} pixels and a full pixel of 1 or more "
                            "expected, found {} and {}",
                            pixels, target.size(), pixel_max));
  }
  auto out = target.begin();
  for (const Example& example : examples) {
    for (const std::uint8_t pixel : example.pixels) {
      *out++ = static_cast<Number>(pixel) / static_cast<Number>(pixel_max);
    }
  }
}

}  // namespace

inline namespace v1 {

Reader<Example> read_examples(std::shared_ptr<const ImageSet> set) {
  return [set = std::move(set)] {
    return Stream<Example>([set, next = std::size_t{0}]() mutable -> std::optional<Example> {
      if (next == set->count()) return std::nullopt;
      const std::size_t i = next++;
      const std::span<const std::uint8_t> pixels(set->pixels);
      return Example{pixels.subspan(i * set->image_pixels(), set->image_pixels()), set->labels[i]};
    });
  };
}

void copy_pixels(std::span<const Example> examples, std::uint8_t pixel_max,
                 std::span<float> target) {
  scale_pixels(examples, pixel_max, target);
}

void copy_pixels(std::span<const Example> examples, std::uint8_t pixel_max,
                 std::span<double> target) {
  scale_pixels(examples, pixel_max, target);
}

}  // namespace v1
}  // namespace rondo::nn
