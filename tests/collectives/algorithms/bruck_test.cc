#include "collectives/algorithms/bruck.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "collectives/algorithms/bruck_all_gather.h"
#include "collectives/algorithms/bruck_all_to_all.h"

namespace rondo::algorithms {
namespace {

using schedule::Collective;
using schedule::Op;
using schedule::OpKind;
using schedule::RankSchedule;

std::set<schedule::Rank> receivers(const RankSchedule& schedule) {
  std::set<schedule::Rank> peers;
  for (const Op& op : schedule.lanes[0]) {
    if (op.kind == OpKind::kSend) peers.insert(op.peer);
  }
  return peers;
}

std::ptrdiff_t sends(const RankSchedule& schedule) {
  return std::count_if(schedule.lanes[0].begin(), schedule.lanes[0].end(),
                       [](const Op& op) { return op.kind == OpKind::kSend; });
}

TEST(Bruck, Distances_MoveBitByBit) {
  EXPECT_EQ(bruck_moved(0b1011, 0b1000), 0b0011);
  EXPECT_FALSE(bruck_arrives(0b1011, 0b0010));
  EXPECT_TRUE(bruck_arrives(0b1011, 0b1000));
}

TEST(BruckAllGather, SixRanks_TalkToThreeAndSendEveryRowButTheLastOnce) {
  const RankSchedule schedule =
      bruck_all_gather({.collective = Collective::kAllGather, .world = 6, .rank = 2, .rows = 6});
  EXPECT_EQ(receivers(schedule), (std::set<schedule::Rank>{1, 0, 4}));
  EXPECT_EQ(sends(schedule), 5);
  EXPECT_TRUE(schedule.scratch_rows.empty());
}

TEST(BruckAllToAll, EightRanks_TalkToThreeAndSendHalfOfTheRowsInEachStep) {
  const RankSchedule schedule =
      bruck_all_to_all({.collective = Collective::kAllToAll, .world = 8, .rank = 0, .rows = 64});
  EXPECT_EQ(receivers(schedule), (std::set<schedule::Rank>{1, 2, 4}));
  EXPECT_EQ(sends(schedule), 3 * 4);
  EXPECT_EQ(schedule.scratch_rows.size(), 3U * 4U - 7U) << "stays on the way";
}

}  // namespace
}  // namespace rondo::algorithms
