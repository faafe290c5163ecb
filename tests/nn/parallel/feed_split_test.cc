#include "nn/parallel/feed_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_net.h"

namespace rondo::nn {
namespace {

std::vector<std::int64_t> part_sizes(std::int64_t samples, std::size_t places) {
  const SmallNet net;
  const auto parts =
      split_feed(net.main.global_block(), small_batch(DataType::kF32, 0, samples), places);
  std::vector<std::int64_t> sizes;
  if (!parts.ok()) return sizes;
  for (const Feed& part : *parts) sizes.push_back(part.at("label").dims()[0]);
  return sizes;
}

TEST(SplitFeed, EarlierPlacesGetTheSmallerParts) {
  EXPECT_EQ(part_sizes(3, 2), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(part_sizes(8, 4), (std::vector<std::int64_t>{2, 2, 2, 2}));
  EXPECT_EQ(part_sizes(7, 1), (std::vector<std::int64_t>{7}));
  for (std::int64_t samples = 5; samples < 40; ++samples) {
    const auto sizes = part_sizes(samples, 5);
    std::int64_t sum = 0;
    for (const auto size : sizes) sum += size;
    ASSERT_EQ(sum, samples);
    ASSERT_LE(sizes.back() - sizes.front(), 1);
  }
}

TEST(SplitFeed, PartsAreTheRowsInOrder_InTheFeedsOwnMemory) {
  const SmallNet net;
  const Feed feed = small_batch(DataType::kF32, 0, 7);
  const auto parts = split_feed(net.main.global_block(), feed, 3);
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ((*parts)[0].at("x").data(), feed.at("x").data());
  const Tensor whole = concatenate({(*parts)[0].at("x"), (*parts)[1].at("x"), (*parts)[2].at("x")});
  EXPECT_EQ(whole.dims(), feed.at("x").dims());
  EXPECT_EQ(whole.to_vector<float>(), feed.at("x").to_vector<float>());
}

TEST(SplitFeed, VariableWithoutBatchAxis_GoesToEveryPlace) {
  SmallNet net;
  {
    const ProgramGuard guard(net.main, net.startup);
    data("rate", {1}, {.append_batch_size = false});
  }
  Feed feed = small_batch(DataType::kF32, 0, 4);
  feed["rate"] = Tensor::from<float>({0.5F}, {1});
  const auto parts = split_feed(net.main.global_block(), feed, 2);
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ((*parts)[1].at("rate").data<float>()[0], 0.5F);
}

TEST(SplitFeed, WrongFeedsAreErrors) {
  const SmallNet net;
  const Block& block = net.main.global_block();
  EXPECT_THAT(split_feed(block, small_batch(DataType::kF32, 0, 2), 3).status().message(),
              testing::HasSubstr("2 samples for 3 places"));
  Feed feed = small_batch(DataType::kF32, 0, 4);
  feed["label"] = Tensor(DataType::kI64, {3, 1});
  EXPECT_THAT(split_feed(block, feed, 2).status().message(),
              testing::HasSubstr("'x' has 4 samples, feed 'label' has 3"));
  feed = small_batch(DataType::kF32, 0, 4);
  feed.at("x").set_lod({{0, 4}});
  EXPECT_EQ(split_feed(block, feed, 2).status().code(), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace rondo::nn
