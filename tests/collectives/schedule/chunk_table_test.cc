#include "collectives/schedule/chunk_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rondo::schedule {
namespace {

using ::testing::HasSubstr;

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

/// A part's rows lie in it, longer ones first.
TEST(ChunkTable, EqualOfARequest_SeveralRowsOfARank_BeginWithItsPart) {
  constexpr int kRanks = 3;
  for (const auto& [collective, parts] : {std::pair{Collective::kAllGather, 3U},
                                          {Collective::kReduceScatter, 3U},
                                          {Collective::kGather, 3U},
                                          {Collective::kScatter, 3U},
                                          {Collective::kAllReduce, 1U}}) {
    for (const std::uint32_t each : {1U, 2U, 4U}) {
      for (const std::size_t of_part : {0U, 1U, 5U, 8U}) {
        const Request request{.collective = collective, .world = kRanks, .rows = parts * each};
        const ChunkTable table = ChunkTable::equal(of_part * parts, request);
        ASSERT_EQ(table.rows(), request.rows);
        EXPECT_EQ(table.total(), of_part * parts);
        for (std::uint32_t row = 0; row < request.rows; ++row) {
          const std::size_t in_part = ChunkTable::equal(of_part, each).offset(row % each);
          EXPECT_EQ(table.offset(row), row / each * of_part + in_part) << row;
        }
      }
    }
  }
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

/// What one rank of an all_to_all sends and receives, and the same as a square of rows.
struct Cross {
  std::vector<std::size_t> input_counts, output_counts, square;
};

/// A third of the messages is empty.
Cross random_cross(std::size_t ranks, std::size_t rank, std::mt19937& random) {
  Cross cross;
  const auto any = [&random] { return random() % 3 == 0 ? std::size_t{0} : random() % 1000; };
  cross.square.resize(ranks * ranks);
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    cross.input_counts.push_back(any());
    cross.output_counts.push_back(peer == rank ? 0 : any());
  }
  cross.output_counts[rank] = cross.input_counts[rank];
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    cross.square[rank * ranks + peer] = cross.input_counts[peer];
    cross.square[peer * ranks + rank] = cross.output_counts[peer];
  }
  return cross;
}

void expect_same_range(const ChunkTable& table, const ChunkTable& expected, RowRange range) {
  SCOPED_TRACE(testing::Message() << "rows from " << range.begin << ", " << range.stride
                                  << " apart");
  ASSERT_EQ(table.count(range), expected.count(range));
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const std::uint32_t row = range.row(i);
    ASSERT_EQ(table.offset_within(range, row), expected.offset_within(range, row));
  }
}

void expect_same(const ChunkTable& table, const ChunkTable& expected, std::uint32_t ranks) {
  ASSERT_EQ(table.rows(), expected.rows());
  EXPECT_EQ(table.total(), expected.total());
  for (std::uint32_t row = 0; row < table.rows(); ++row) {
    ASSERT_EQ(table.offset(row), expected.offset(row)) << "row " << row;
    ASSERT_EQ(table.count(row), expected.count(row)) << "row " << row;
  }
  for (std::uint32_t peer = 0; peer < ranks; ++peer) {
    expect_same_range(table, expected, {peer * ranks, ranks, 1});
    expect_same_range(table, expected, {peer, ranks, ranks});
    for (std::uint32_t sender = 0; sender < ranks; ++sender)
      expect_same_range(table, expected, {sender * ranks + peer, ranks - sender, ranks});
    expect_same_range(table, expected, {peer, ranks - 1, 2});
  }
}

TEST(ChunkTable, OfCross_EveryRankOfSeveralWorlds_AnswersAsTheSquareOfAllRows) {
  std::mt19937 random(2);
  for (const std::size_t ranks : {1U, 2U, 3U, 4U, 7U, 16U, 17U}) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      SCOPED_TRACE(testing::Message() << "rank " << rank << " of " << ranks);
      const Cross cross = random_cross(ranks, rank, random);
      const auto table = ChunkTable::of_cross(rank, cross.input_counts, cross.output_counts);
      ASSERT_TRUE(table.ok());
      expect_same(*table, ChunkTable::of_counts(cross.square).value(),
                  static_cast<std::uint32_t>(ranks));
    }
  }
}

TEST(ChunkTable, OfCross_WithoutTheWholeOfWhatItNeeds_IsAnError) {
  const auto message_of = [](std::size_t rank, const std::vector<std::size_t>& input_counts,
                             const std::vector<std::size_t>& output_counts) {
    const auto table = ChunkTable::of_cross(rank, input_counts, output_counts);
    return table.ok() ? std::string("no error") : std::string(table.status().message());
  };
  EXPECT_THAT(message_of(0, {}, {}), HasSubstr("0 counts of the input and 0 of the output"));
  EXPECT_THAT(message_of(0, {1, 2}, {1}), HasSubstr("2 counts of the input and 1 of the output"));
  EXPECT_THAT(message_of(2, {1, 2}, {1, 2}), HasSubstr("for rank 2"));
  EXPECT_THAT(message_of(1, {1, 2}, {1, 3}), HasSubstr("rank 1 keeps 2 elements"));
  EXPECT_THAT(message_of(1, {kHuge, 2}, {1, 2}), HasSubstr("rank 1 sends and receives"));
  EXPECT_THAT(message_of(1, {1, 2}, {kHuge, 2}), HasSubstr("rank 1 sends and receives"));
  EXPECT_THAT(message_of(1, {kHuge - 3, 2}, {2, 2}), HasSubstr("rank 1 sends and receives"));
  EXPECT_EQ(message_of(1, {kHuge - 3, 2}, {1, 2}), "no error");
}

TEST(ChunkTable, OfCross_TheLargestSumsThatFit_AreExact) {
  const std::vector<std::size_t> input_counts{kHuge - 3, 2}, output_counts{1, 2};
  const auto table = ChunkTable::of_cross(1, input_counts, output_counts);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->total(), kHuge);
  EXPECT_EQ(table->count(3), 2U);
  EXPECT_EQ(table->count(RowRange{2, 2, 1}), kHuge - 1);
  EXPECT_EQ(table->count(RowRange{1, 2, 2}), 3U);
}

/// Offsets of all rows.
std::vector<std::size_t> offsets_of(const ChunkTable& table) {
  std::vector<std::size_t> offsets;
  for (std::uint32_t row = 0; row <= table.rows(); ++row) offsets.push_back(table.offset(row));
  return offsets;
}

TEST(ChunkTable, Become_ATableOfAnyForm_IsAsOneMadeSo) {
  using Counts = std::vector<std::size_t>;
  const Counts two = {3, 4};
  const Counts four = {1, 0, 5, 2};
  const Counts sent = {2, 7, 1};
  const Counts received = {4, 7, 9};
  ChunkTable table = ChunkTable::equal(17, 5);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(table.become_counts(four).ok());
    EXPECT_EQ(offsets_of(table), offsets_of(ChunkTable::of_counts(four).value()));
    ASSERT_TRUE(table.become_cross(1, sent, received).ok());
    EXPECT_EQ(offsets_of(table), offsets_of(ChunkTable::of_cross(1, sent, received).value()));
    EXPECT_EQ(table.count({1, 3, 3}), 20U) << "its own column";
    ASSERT_TRUE(table.become_counts(two).ok());
    EXPECT_EQ(offsets_of(table), offsets_of(ChunkTable::of_counts(two).value()));
    ASSERT_TRUE(table.become_cross(0, two, two).ok());
    EXPECT_EQ(offsets_of(table), offsets_of(ChunkTable::of_cross(0, two, two).value()));
  }
  EXPECT_FALSE(table.become_counts({}).ok());
  EXPECT_FALSE(table.become_cross(2, two, two).ok());
}

}  // namespace
}  // namespace rondo::schedule
