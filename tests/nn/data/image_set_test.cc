#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rondo/nn/data.h"
#include "tests/nn/data/data_files.h"

namespace rondo::nn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const ImageSet> small_set() {
  ImageSet set;
  set.height = 1;
  set.width = 2;
  set.classes = 3;
  set.pixel_max = 16;
  set.pixels = {0, 16, 4, 8, 2, 1};
  set.labels = {2, 0, 1};
  return std::make_shared<const ImageSet>(std::move(set));
}

TEST(ImageSet, ReadExamples_GivesEachImageWithItsLabel) {
  const std::shared_ptr<const ImageSet> set = small_set();
  Stream<Example> stream = read_examples(set)();
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<Example> example = stream();
    ASSERT_TRUE(example.has_value());
    EXPECT_EQ(example->label, set->labels[i]);
    EXPECT_THAT(example->pixels, ElementsAre(set->pixels[2 * i], set->pixels[2 * i + 1]));
  }
  EXPECT_FALSE(stream().has_value());
}

TEST(ImageSet, CopyPixels_ScalesToOneInBothPrecisions) {
  const std::shared_ptr<const ImageSet> set = small_set();
  const auto all = (*batch(read_examples(set), 3, false)()());
  std::vector<float> single(6);
  std::vector<double> twice(6);
  copy_pixels(all, 16, single);
  copy_pixels(all, 16, twice);
  EXPECT_THAT(single, ElementsAre(0.0F, 1.0F, 0.25F, 0.5F, 0.125F, 0.0625F));
  EXPECT_THAT(twice, ElementsAre(0.0, 1.0, 0.25, 0.5, 0.125, 0.0625));
}

TEST(ImageSet, CopyPixels_IntoTheWrongRoom_IsRefused) {
  const std::shared_ptr<const ImageSet> set = small_set();
  const auto all = (*batch(read_examples(set), 3, false)()());
  std::vector<float> room(5);
  EXPECT_THAT(error_of([&] { copy_pixels(all, 16, room); }),
              HasSubstr("room for 6 pixels and a full pixel of 1 or more expected, found 5"));
}

}  // namespace
}  // namespace rondo::nn
