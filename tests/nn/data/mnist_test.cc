#include "nn/data/mnist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nn/data/data_files.h"

namespace rondo::nn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kTwoImages = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, static_cast<char>(255)};

/// Two images of 2 x 3 and their labels, each of which a test may replace.
struct Pair {
  std::string images = idx_bytes(0x803, {2, 2, 3}, kTwoImages);
  std::string labels = idx_bytes(0x801, {2}, {4, 9});

  Result<ImageSet> parse() const {
    return parse_mnist({images, "images.gz"}, {labels, "labels.gz"});
  }
  std::string error() const { return parse().status().to_string(); }
};

TEST(Mnist, Parse_GoodPair_GivesPixelsAndLabels) {
  const Result<ImageSet> set = Pair().parse();
  ASSERT_TRUE(set.ok()) << set.status().to_string();
  EXPECT_EQ(set->height, 2U);
  EXPECT_EQ(set->width, 3U);
  EXPECT_EQ(set->pixel_max, 255);
  EXPECT_THAT(set->labels, ElementsAre(4, 9));
  EXPECT_THAT(set->pixels, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255));
}

TEST(Mnist, Parse_WrongMagic_SaysBoth) {
  EXPECT_EQ((Pair{.images = idx_bytes(0x801, {2, 2, 3}, kTwoImages)}.error()),
            "DataLoss: images.gz, byte 0: magic number 0x00000803 expected, found 0x00000801");
  EXPECT_THAT((Pair{.labels = idx_bytes(0x803, {2}, {4, 9})}.error()),
              HasSubstr("labels.gz, byte 0: magic number 0x00000801 expected"));
}

TEST(Mnist, Parse_HeaderCutShort_SaysWhere) {
  EXPECT_THAT((Pair{.images = Pair().images.substr(0, 15)}.error()),
              HasSubstr("images.gz, byte 15: a header of 16 bytes expected, the file ends"));
  EXPECT_THAT((Pair{.labels = ""}.error()), HasSubstr("labels.gz, byte 0: a header of 8 bytes"));
}

TEST(Mnist, Parse_PayloadTooShortOrLong_SaysBoth) {
  EXPECT_THAT((Pair{.images = idx_bytes(0x803, {2, 2, 3}, kTwoImages.substr(1))}.error()),
              HasSubstr("images.gz, byte 16: 12 bytes of data expected, found 11"));
  EXPECT_THAT((Pair{.labels = idx_bytes(0x801, {2}, {4, 9, 1})}.error()),
              HasSubstr("labels.gz, byte 8: 2 bytes of data expected, found 3"));
}

TEST(Mnist, Parse_SizesThatOverflow_AreRefused) {
  EXPECT_THAT((Pair{.images = idx_bytes(0x803, {0x10000, 0x10000, 0x10000}, "")}.error()),
              HasSubstr("images.gz, byte 8: a size that fits"));
  EXPECT_THAT((Pair{.images = idx_bytes(0x803, {2, 0, 3}, "")}.error()), HasSubstr("found 0"));
}

TEST(Mnist, Parse_CountsDiffer_SaysBoth) {
  EXPECT_THAT((Pair{.labels = idx_bytes(0x801, {3}, {4, 9, 1})}.error()),
              HasSubstr("2 labels expected, one for each image of images.gz, found 3"));
}

TEST(Mnist, Parse_LabelOutOfRange_SaysWhere) {
  EXPECT_THAT((Pair{.labels = idx_bytes(0x801, {2}, {4, 10})}.error()),
              HasSubstr("labels.gz, byte 9: a label of 0..9 expected, found 10"));
}

TEST(Mnist, Load_FourFiles_GivesBothParts) {
  const TemporaryFolder folder;
  write_mnist_part(folder.file(kMnistTrain.images), folder.file(kMnistTrain.labels), 30);
  write_mnist_part(folder.file(kMnistTest.images), folder.file(kMnistTest.labels), 7);
  const TrainTest set = load_mnist(folder.path());
  EXPECT_EQ(set.train->count(), 30U);
  EXPECT_EQ(set.held_out->count(), 7U);
  EXPECT_EQ(set.train->image_pixels(), 784U);
}

TEST(Mnist, Load_OneFileMissing_SaysWhich) {
  const TemporaryFolder folder;
  write_mnist_part(folder.file(kMnistTrain.images), folder.file(kMnistTrain.labels), 3);
  EXPECT_THAT(error_of([&] { load_mnist(folder.path()); }),
              HasSubstr("t10k-images-idx3-ubyte.gz: no such file"));
}

}  // namespace
}  // namespace rondo::nn
