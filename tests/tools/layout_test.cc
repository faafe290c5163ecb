#include "tools/rondo/bench/layout.h"

#include <gtest/gtest.h>

namespace rondo::tool {
namespace {

void expect_region(const Region& region, std::size_t first, std::size_t count) {
  EXPECT_EQ(region.first, first);
  EXPECT_EQ(region.count, count);
}

TEST(LayoutOf, AllReduceAndBroadcast_RoundDownToElements) {
  for (const Collective collective : {Collective::kAllReduce, Collective::kBroadcast}) {
    const Layout layout =
        layout_of({.collective = collective, .type = DataType::kF64, .bytes = 30}, 4, 1);
    EXPECT_EQ(layout.bytes, 24U);
    EXPECT_EQ(layout.count, 3U);
    expect_region(layout.input, 0, 3);
    expect_region(layout.output, 0, 3);
  }
}

TEST(LayoutOf, AllGather_EveryRankHasAnEqualPart) {
  CallSpec spec{.collective = Collective::kAllGather, .type = DataType::kI32, .bytes = 47};
  Layout layout = layout_of(spec, 3, 2);
  EXPECT_EQ(layout.bytes, 36U) << "11 elements are 3 parts of 3";
  EXPECT_EQ(layout.count, 3U);
  expect_region(layout.input, 0, 3);
  expect_region(layout.output, 0, 9);
  spec.in_place = true;
  expect_region(layout_of(spec, 3, 2).input, 6, 3);
}

TEST(LayoutOf, ReduceScatter_InPlaceOutputLiesAtItsOwnPart) {
  CallSpec spec{.collective = Collective::kReduceScatter, .type = DataType::kI8, .bytes = 10};
  expect_region(layout_of(spec, 4, 3).output, 0, 2);
  spec.in_place = true;
  const Layout layout = layout_of(spec, 4, 3);
  expect_region(layout.input, 0, 8);
  expect_region(layout.output, 6, 2);
}

TEST(LayoutOf, FewerElementsThanRanks_IsEmpty) {
  const Layout layout =
      layout_of({.collective = Collective::kAllGather, .type = DataType::kF32, .bytes = 8}, 3, 0);
  EXPECT_EQ(layout.bytes, 0U);
  EXPECT_EQ(layout.count, 0U);
}

}  // namespace
}  // namespace rondo::tool
