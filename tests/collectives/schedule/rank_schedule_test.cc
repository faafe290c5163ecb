#include "collectives/schedule/rank_schedule.h"

#include <gtest/gtest.h>

namespace rondo::schedule {
namespace {

Request request(Collective collective, Rank rank) {
  return {.collective = collective, .world = 4, .rank = rank, .root = 2, .rows = 8};
}

void expect_rows(RowRange rows, std::uint32_t begin, std::uint32_t count) {
  EXPECT_EQ(rows.begin, begin);
  EXPECT_EQ(rows.count, count);
}

TEST(RowRanges, EachCollective_CoverWhatItReadsAndWrites) {
  expect_rows(input_rows(request(Collective::kAllReduce, 1)), 0, 8);
  expect_rows(output_rows(request(Collective::kAllReduce, 1)), 0, 8);
  expect_rows(input_rows(request(Collective::kAllGather, 3)), 6, 2);
  expect_rows(output_rows(request(Collective::kAllGather, 3)), 0, 8);
  expect_rows(input_rows(request(Collective::kReduceScatter, 3)), 0, 8);
  expect_rows(output_rows(request(Collective::kReduceScatter, 3)), 6, 2);
  expect_rows(input_rows(request(Collective::kBroadcast, 2)), 0, 8);
  expect_rows(input_rows(request(Collective::kBroadcast, 1)), 0, 0);
  expect_rows(output_rows(request(Collective::kBroadcast, 1)), 0, 8);
  expect_rows(output_rows(request(Collective::kReduce, 2)), 0, 8);
  expect_rows(output_rows(request(Collective::kReduce, 1)), 0, 0);
  expect_rows(input_rows(request(Collective::kGather, 3)), 6, 2);
  expect_rows(output_rows(request(Collective::kGather, 3)), 0, 0);
  expect_rows(input_rows(request(Collective::kScatter, 2)), 0, 8);
  expect_rows(output_rows(request(Collective::kScatter, 2)), 4, 2);
}

TEST(RowRanges, MoreRowsThanNumbers_AreTooMany) {
  EXPECT_EQ(rows_of_ranks(3, 5), 15U);
  EXPECT_EQ(rows_of_ranks(65'535, 65'537), kTooManyRows) << "2^32 - 1: the first without a number";
  EXPECT_EQ(rows_of_ranks(65'536, 65'536), kTooManyRows) << "2^32";
  EXPECT_EQ(rows_unit(Collective::kAllToAll, 65'535), 65'535U * 65'535U);
  EXPECT_EQ(rows_unit(Collective::kAllToAll, 1'048'576), kTooManyRows);
}

/// Several rows of a part would be dealt to the ranks one by one, where callers' parts lie whole.
TEST(RowRanges, AllToAll_HasOneForEachPart) {
  EXPECT_TRUE(may_have_rows(Collective::kAllToAll, 3, 9));
  EXPECT_FALSE(may_have_rows(Collective::kAllToAll, 3, 18));
  EXPECT_EQ(expected_rows(Collective::kAllToAll, 3), "9");
  EXPECT_TRUE(may_have_rows(Collective::kGather, 3, 6));
  EXPECT_FALSE(may_have_rows(Collective::kGather, 3, 7));
  EXPECT_EQ(expected_rows(Collective::kGather, 3), "a multiple of 3");
  EXPECT_FALSE(may_have_rows(Collective::kBroadcast, 3, 0));
}

TEST(RowRanges, AllToAll_ReadsARowForEachPeerAndWritesOneOfEach) {
  const Request all{.collective = Collective::kAllToAll, .world = 3, .rank = 1, .rows = 9};
  expect_rows(input_rows(all), 3, 3);
  const RowRange output = output_rows(all);
  expect_rows(output, 1, 3);
  EXPECT_EQ(output.row(2), 7U);
  EXPECT_EQ(output.index_of(4), 1U);
  EXPECT_TRUE(output.contains(7));
  for (const std::uint32_t other : {0U, 2U, 5U, 10U}) EXPECT_FALSE(output.contains(other)) << other;
}

TEST(Builder, EachOp_StandsInItsLaneAsWritten) {
  Builder builder(request(Collective::kAllReduce, 0));
  const Slice slot = builder.scratch(5);
  builder.send(1, {BufferRole::kInput, 3});
  builder.recv_reduce(2, {BufferRole::kInput, 5}, slot, true);
  builder.reduce({BufferRole::kInput, 1}, {BufferRole::kOutput, 1}, {BufferRole::kOutput, 1}, false,
                 2);
  builder.wait(0, 1, 2);
  const RankSchedule schedule = std::move(builder).finish();
  ASSERT_EQ(schedule.lanes.size(), 3U);
  ASSERT_EQ(schedule.lanes[0].size(), 2U);
  EXPECT_TRUE(schedule.lanes[1].empty());
  EXPECT_EQ(schedule.scratch_rows, std::vector<std::uint32_t>{5});
  const Op& reduction = schedule.lanes[0][1];
  EXPECT_EQ(reduction.kind, OpKind::kRecvReduce);
  EXPECT_TRUE(reduction.final);
  EXPECT_EQ(reduction.peer, 2);
  EXPECT_EQ(reduction.target, slot);
  EXPECT_EQ(schedule.lanes[2][0].other, (Slice{BufferRole::kOutput, 1}));
  EXPECT_EQ(schedule.lanes[2][1].wait.lane, 0U);
  EXPECT_EQ(schedule.lanes[2][1].wait.op, 1U);
}

}  // namespace
}  // namespace rondo::schedule
