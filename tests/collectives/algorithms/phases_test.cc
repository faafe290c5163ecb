// What the comments on top of the algorithms promise in numbers: ops per rank, where a sum is
// complete, in which order contributions are added.

#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/algorithms/direct_all_reduce.h"
#include "collectives/algorithms/double_binary_tree_all_reduce.h"
#include "collectives/algorithms/one_shot_all_reduce.h"
#include "collectives/algorithms/ring_all_gather.h"
#include "collectives/algorithms/ring_all_reduce.h"
#include "collectives/algorithms/ring_reduce_scatter.h"

namespace rondo::algorithms {
namespace {

using schedule::BufferRole;
using schedule::Collective;
using schedule::Op;
using schedule::OpKind;
using schedule::RankSchedule;
using schedule::Slice;

std::ptrdiff_t count(const RankSchedule& schedule, OpKind kind) {
  return std::count_if(schedule.lanes[0].begin(), schedule.lanes[0].end(),
                       [&](const Op& op) { return op.kind == kind; });
}

std::vector<Op> finals(const RankSchedule& schedule) {
  std::vector<Op> list;
  for (const Op& op : schedule.lanes[0]) {
    if (op.final) list.push_back(op);
  }
  return list;
}

TEST(RingAllReduce, FiveRanks_SendsEightTimesAndFinishesOneRow) {
  const RankSchedule schedule = ring_all_reduce({.world = 5, .rank = 3, .rows = 5});
  EXPECT_EQ(count(schedule, OpKind::kSend), 8);
  EXPECT_EQ(count(schedule, OpKind::kRecvReduce), 4);
  EXPECT_EQ(count(schedule, OpKind::kRecv), 4);
  ASSERT_EQ(finals(schedule).size(), 1U);
  EXPECT_EQ(finals(schedule)[0].target, (Slice{BufferRole::kOutput, 4}));
  EXPECT_TRUE(schedule.scratch_rows.empty());
}

TEST(RingReduceScatter, FiveRanks_WritesItsOwnRowAloneToTheOutput) {
  const RankSchedule schedule = ring_reduce_scatter(
      {.collective = Collective::kReduceScatter, .world = 5, .rank = 3, .rows = 5});
  EXPECT_EQ(count(schedule, OpKind::kSend), 4);
  for (const Op& op : schedule.lanes[0]) {
    if (op.kind != OpKind::kRecvReduce) continue;
    EXPECT_EQ(op.target.buffer == BufferRole::kOutput, op.final);
  }
  ASSERT_EQ(finals(schedule).size(), 1U);
  EXPECT_EQ(finals(schedule)[0].target, (Slice{BufferRole::kOutput, 3}));
}

TEST(RingAllGather, FiveRanks_SendsFourTimes) {
  const RankSchedule schedule =
      ring_all_gather({.collective = Collective::kAllGather, .world = 5, .rank = 0, .rows = 5});
  EXPECT_EQ(count(schedule, OpKind::kSend), 4);
  EXPECT_EQ(count(schedule, OpKind::kCopy), 1);
}

TEST(DirectAllReduce, EveryRank_AddsInRankOrder) {
  for (const schedule::Rank rank : {0, 2, 3}) {
    const RankSchedule schedule = direct_all_reduce({.world = 4, .rank = rank, .rows = 4});
    std::vector<schedule::Rank> order;
    for (const Op& op : schedule.lanes[0]) {
      if (order.size() == 4) break;
      if (op.kind == OpKind::kRecv || op.kind == OpKind::kRecvReduce) {
        if (op.source == Slice{BufferRole::kInput, static_cast<std::uint32_t>(rank)} &&
            op.kind == OpKind::kRecvReduce) {
          order.push_back(rank);
        }
        order.push_back(op.peer);
      }
      if (op.kind == OpKind::kReduce) order.push_back(rank);
    }
    EXPECT_EQ(order, (std::vector<schedule::Rank>{0, 1, 2, 3})) << "rank " << rank;
    EXPECT_EQ(finals(schedule).size(), 1U);
  }
}

TEST(OneShotAllReduce, EveryRank_SendsAndReceivesOncePerPeer) {
  const RankSchedule schedule = one_shot_all_reduce({.world = 4, .rank = 1});
  EXPECT_EQ(count(schedule, OpKind::kSend), 3);
  EXPECT_EQ(count(schedule, OpKind::kRecv) + count(schedule, OpKind::kRecvReduce), 3);
  EXPECT_EQ(finals(schedule).size(), 1U);
}

TEST(DoubleBinaryTreeAllReduce, EveryRow_GoesUpOnceAndDownOnceOnTheLaneOfItsTree) {
  const int world = 7;
  std::ptrdiff_t sums = 0;
  std::ptrdiff_t results = 0;
  for (schedule::Rank rank = 0; rank < world; ++rank) {
    const RankSchedule schedule =
        double_binary_tree_all_reduce({.world = 7, .rank = rank, .rows = 6});
    ASSERT_EQ(schedule.lanes.size(), 2U);
    for (std::size_t lane = 0; lane < 2; ++lane) {
      for (const Op& op : schedule.lanes[lane]) {
        if (op.kind == OpKind::kRecvReduce) ++sums;
        if (op.kind == OpKind::kRecv) ++results;
        const Slice& slice = op.kind == OpKind::kSend ? op.source : op.target;
        EXPECT_EQ(slice.chunk / 3, lane);
      }
    }
  }
  EXPECT_EQ(sums, 6 * (world - 1));
  EXPECT_EQ(results, 6 * (world - 1));
}

TEST(DoubleBinaryTreeAllReduce, Rows_GrowWithTheDataAndStayFew) {
  EXPECT_EQ(double_binary_tree_rows(8, 0), 2U);
  EXPECT_EQ(double_binary_tree_rows(8, 8 * 16384), 8U);
  EXPECT_EQ(double_binary_tree_rows(8, 1 << 28), 64U);
  EXPECT_EQ(double_binary_tree_rows(2, 1 << 28), 2U) << "one hop has nothing to overlap";
}

TEST(Reductions, WorldOfOne_IsACopy) {
  for (const auto build : {ring_all_reduce, direct_all_reduce, one_shot_all_reduce}) {
    const RankSchedule schedule = build({.world = 1});
    ASSERT_EQ(schedule.lanes[0].size(), 1U);
    EXPECT_EQ(schedule.lanes[0][0].kind, OpKind::kCopy);
    EXPECT_TRUE(finals(schedule).empty());
  }
}

}  // namespace
}  // namespace rondo::algorithms
