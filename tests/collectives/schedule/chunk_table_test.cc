#include "collectives/schedule/chunk_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <vector>

namespace rondo::schedule {
namespace {

constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();

void expect_split(std::size_t count, std::uint32_t rows) {
  SCOPED_TRACE(testing::Message() << count << " elements in " << rows << " rows");
  const ChunkTable table = ChunkTable::equal(count, rows);
  ASSERT_EQ(table.rows(), rows);
  EXPECT_EQ(table.offset(0), 0U);
  EXPECT_EQ(table.total(), count);
  std::size_t least = kHuge;
  std::size_t most = 0;
  std::size_t end = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    ASSERT_EQ(table.offset(row), end);
    end += table.count(row);
    const std::size_t previous = row == 0 ? table.count(0) : table.count(row - 1);
    EXPECT_LE(table.count(row), previous) << "longer rows come first";
    least = std::min(least, table.count(row));
    most = std::max(most, table.count(row));
  }
  EXPECT_EQ(end, count);
  EXPECT_LE(most - least, 1U);
}

TEST(ChunkTable, Equal_AnyCountAndRows_CoversInOrderAndDiffersByOneAtMost) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{6}, std::size_t{7},
                                  std::size_t{1009}, kHuge - 1, kHuge}) {
    for (const std::uint32_t rows : {1U, 2U, 3U, 7U, 8U, 128U, 1000U}) expect_split(count, rows);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    const std::size_t count = random() >> (random() % 64);
    expect_split(count, static_cast<std::uint32_t>(random() % 600 + 1));
  }
}

TEST(ChunkTable, Equal_FewerElementsThanRows_LeavesTheLastRowsEmpty) {
  const ChunkTable table = ChunkTable::equal(3, 5);
  EXPECT_EQ(table.count(2), 1U);
  EXPECT_EQ(table.count(3), 0U);
  EXPECT_EQ(table.offset(4), 3U);
}

TEST(ChunkTable, OfCounts_ExplicitRows_KeepsThem) {
  const std::array<std::size_t, 4> counts{3, 0, 5, 1};
  const Result<ChunkTable> table = ChunkTable::of_counts(counts);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->total(), 9U);
  for (std::uint32_t row = 0; row < 4; ++row) EXPECT_EQ(table->count(row), counts[row]);
  EXPECT_EQ(table->offset(2), 3U);
  EXPECT_EQ(table->offset(3), 8U);
}

TEST(ChunkTable, OfCounts_SumTooLargeOrNoRows_IsAnError) {
  const std::array<std::size_t, 3> counts{1, kHuge - 1, 1};
  const Result<ChunkTable> overflow = ChunkTable::of_counts(counts);
  ASSERT_FALSE(overflow.ok());
  EXPECT_EQ(overflow.status().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(overflow.status().message().find("row 2"), std::string::npos);
  EXPECT_TRUE(ChunkTable::of_counts(std::span(counts).first(2)).ok());
  EXPECT_FALSE(ChunkTable::of_counts({}).ok());
}

TEST(ChunkTable, OffsetWithin_BufferOfSomeRows_CountsFromItsFirstRow) {
  const ChunkTable table = ChunkTable::equal(10, 4);  // 3 3 2 2
  const RowRange middle{1, 2};
  EXPECT_EQ(table.offset_within(middle, 1), 0U);
  EXPECT_EQ(table.offset_within(middle, 2), 3U);
  EXPECT_EQ(table.count(middle), 5U);
  EXPECT_EQ(table.count(RowRange{}), 0U);
}

TEST(ChunkTable, OffsetWithin_RowsApart_CountsTheRowsOfTheBufferAlone) {
  const std::array<std::size_t, 6> counts{1, 20, 3, 40, 5, 60};
  const ChunkTable table = ChunkTable::of_counts(counts).value();
  const RowRange odd{.begin = 1, .count = 3, .stride = 2};
  EXPECT_EQ(table.count(odd), 120U);
  EXPECT_EQ(table.offset_within(odd, 1), 0U);
  EXPECT_EQ(table.offset_within(odd, 5), 60U);
}

}  // namespace
}  // namespace rondo::schedule
