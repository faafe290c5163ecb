#include <gtest/gtest.h>

#include <vector>

#include "collectives/algorithms/pat_all_gather.h"
#include "collectives/algorithms/pat_reduce_scatter.h"

namespace rondo::algorithms {
namespace {

using schedule::Collective;
using schedule::Op;
using schedule::OpKind;
using schedule::Rank;
using schedule::RankSchedule;

std::vector<Rank> receivers(const RankSchedule& schedule) {
  std::vector<Rank> peers;
  for (const Op& op : schedule.lanes[0]) {
    if (op.kind == OpKind::kSend) peers.push_back(op.peer);
  }
  return peers;
}

TEST(PatAllGather, SixRanks_SendFarFirst) {
  const RankSchedule schedule =
      pat_all_gather({.collective = Collective::kAllGather, .world = 6, .rank = 1, .rows = 6});
  EXPECT_EQ(receivers(schedule), (std::vector<Rank>{5, 3, 2, 2, 2}));
  EXPECT_TRUE(schedule.scratch_rows.empty());
}

TEST(PatReduceScatter, SixRanks_SendFarLast) {
  const RankSchedule schedule = pat_reduce_scatter(
      {.collective = Collective::kReduceScatter, .world = 6, .rank = 1, .rows = 6});
  EXPECT_EQ(receivers(schedule), (std::vector<Rank>{0, 0, 0, 5, 3}));
}

TEST(PatReduceScatter, Scratch_IsLessThanHalfOfTheRows) {
  for (int world = 2; world <= 64; ++world) {
    const auto rows = static_cast<std::uint32_t>(world);
    const RankSchedule schedule = pat_reduce_scatter(
        {.collective = Collective::kReduceScatter, .world = world, .rank = 0, .rows = rows});
    EXPECT_LT(2 * schedule.scratch_rows.size(), rows);
  }
}

}  // namespace
}  // namespace rondo::algorithms
