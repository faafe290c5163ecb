#include "tools/rondo/bench/layout.h"

#include <gtest/gtest.h>

#include <array>

namespace rondo::tool {
namespace {

void expect_region(const Region& region, std::size_t first, std::size_t count) {
  EXPECT_EQ(region.first, first);
  EXPECT_EQ(region.count, count);
}

TEST(LayoutOf, AllReduceAndBroadcast_RoundDownToElements) {
  for (const Collective collective : {Collective::kAllReduce, Collective::kBroadcast}) {
    const Layout layout =
        layout_of({.operation = collective, .type = DataType::kF64, .bytes = 30}, 4, 1);
    EXPECT_EQ(layout.bytes, 24U);
    EXPECT_EQ(layout.count, 3U);
    expect_region(layout.input, 0, 3);
    expect_region(layout.output, 0, 3);
  }
}

TEST(LayoutOf, AllGather_EveryRankHasAnEqualPart) {
  CallSpec spec{.operation = Collective::kAllGather, .type = DataType::kI32, .bytes = 47};
  Layout layout = layout_of(spec, 3, 2);
  EXPECT_EQ(layout.bytes, 36U) << "11 elements are 3 parts of 3";
  EXPECT_EQ(layout.count, 3U);
  expect_region(layout.input, 0, 3);
  expect_region(layout.output, 0, 9);
  spec.in_place = true;
  expect_region(layout_of(spec, 3, 2).input, 6, 3);
}

TEST(LayoutOf, ReduceScatter_InPlaceOutputLiesAtItsOwnPart) {
  CallSpec spec{.operation = Collective::kReduceScatter, .type = DataType::kI8, .bytes = 10};
  expect_region(layout_of(spec, 4, 3).output, 0, 2);
  spec.in_place = true;
  const Layout layout = layout_of(spec, 4, 3);
  expect_region(layout.input, 0, 8);
  expect_region(layout.output, 6, 2);
}

TEST(LayoutOf, AllToAll_CountIsWhatGoesToOneRank) {
  const CallSpec spec{.operation = Collective::kAllToAll, .type = DataType::kI32, .bytes = 47};
  const Layout layout = layout_of(spec, 3, 1);
  EXPECT_EQ(layout.bytes, 36U);
  EXPECT_EQ(layout.count, 3U) << "11 elements are 3 for each of 3";
  expect_region(layout.input, 0, 9);
  expect_region(layout.output, 0, 9);
}

/// The table's size and count at 8 KiB of f32 and four ranks.
struct Columns {
  Operation operation;
  std::uint64_t bytes;
  std::size_t count;
};

TEST(LayoutOf, SizeAndCount_AreThoseOfNcclTests) {
  const std::array columns = {
      Columns{Collective::kAllReduce, 8192, 2048},    Columns{Collective::kAllGather, 8192, 512},
      Columns{Collective::kReduceScatter, 8192, 512}, Columns{Collective::kBroadcast, 8192, 2048},
      Columns{Collective::kReduce, 8192, 2048},       Columns{Collective::kGather, 8192, 512},
      Columns{Collective::kScatter, 8192, 512},       Columns{Collective::kAllToAll, 8192, 512},
      Columns{Operation::send_receive(), 8192, 2048},
  };
  for (const Columns& row : columns) {
    const Layout layout = layout_of({.operation = row.operation, .bytes = 8192}, 4, 1);
    EXPECT_EQ(layout.bytes, row.bytes) << to_string(row.operation);
    EXPECT_EQ(layout.count, row.count) << to_string(row.operation);
  }
}

TEST(LayoutOf, FirstElement_MovesBothBuffersAndNothingElse) {
  CallSpec spec{.operation = Collective::kAllGather, .type = DataType::kI32, .bytes = 47};
  spec.first_element = 5;
  const Layout layout = layout_of(spec, 3, 2);
  EXPECT_EQ(layout.bytes, 36U);
  expect_region(layout.input, 5, 3);
  expect_region(layout.output, 5, 9);
  spec.in_place = true;
  expect_region(layout_of(spec, 3, 2).input, 11, 3);
}

constexpr Operation::Kind kUneven = Operation::Kind::kUneven;

TEST(LayoutOf, PartsOfDifferentSizes_LieOneBehindTheOther) {
  CallSpec spec{
      .operation = {Collective::kAllGather, kUneven}, .type = DataType::kI32, .bytes = 4 * 23};
  EXPECT_EQ(parts_of(spec, 4), (std::vector<std::size_t>{3, 6, 9, 3}));
  Layout layout = layout_of(spec, 4, 2);
  EXPECT_EQ(layout.bytes, 4U * 21);
  EXPECT_EQ(layout.count, 5U) << "the mean";
  expect_region(layout.input, 0, 9);
  expect_region(layout.output, 0, 21);
  spec.in_place = true;
  expect_region(layout_of(spec, 4, 2).input, 9, 9);
  spec.operation = {Collective::kScatter, kUneven};
  expect_region(layout_of(spec, 4, 3).input, 0, 21);
  expect_region(layout_of(spec, 4, 3).output, 18, 3);
}

TEST(RowOf, AllToAllOfDifferentSizes_IsWhatTheOtherExpects) {
  const Operation operation(Collective::kAllToAll, kUneven);
  for (int from = 0; from < 5; ++from) {
    const auto row = row_of(operation, 90, 5, from);
    EXPECT_EQ(first_of(row, 5), 90U) << "every rank sends as much as every other";
    for (int to = 0; to < 5; ++to) {
      EXPECT_EQ(row[static_cast<std::size_t>(to)],
                row_of(operation, 90, 5, to)[static_cast<std::size_t>(from)]);
    }
  }
  EXPECT_EQ(row_of(operation, 90, 5, 1), (std::vector<std::size_t>{20, 30, 10, 20, 10}));
  EXPECT_EQ(row_of(Collective::kAllToAll, 90, 5, 1), std::vector<std::size_t>(5, 18));
}

TEST(LayoutOf, Sends_AreWholeBuffers) {
  const Layout layout = layout_of(
      {.operation = Operation::send_receive(), .type = DataType::kF64, .bytes = 30}, 4, 1);
  EXPECT_EQ(layout.bytes, 24U);
  expect_region(layout.input, 0, 3);
  expect_region(layout.output, 0, 3);
}

TEST(LayoutOf, FewerElementsThanRanks_IsEmpty) {
  const Layout layout =
      layout_of({.operation = Collective::kAllGather, .type = DataType::kF32, .bytes = 8}, 3, 0);
  EXPECT_EQ(layout.bytes, 0U);
  EXPECT_EQ(layout.count, 0U);
}

}  // namespace
}  // namespace rondo::tool
