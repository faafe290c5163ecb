#include "collectives/schedule/fused_schedule.h"

#include <gtest/gtest.h>

namespace rondo::schedule {
namespace {

constexpr Slice kInput1{BufferRole::kInput, 1};
constexpr Slice kOutput1{BufferRole::kOutput, 1};

RankSchedule sample() {
  Builder builder({.world = 3, .rows = 3});
  const Slice slot = builder.scratch(1);
  builder.send(2, kInput1);
  builder.recv(1, slot);
  builder.recv_reduce(1, kInput1, slot, false);
  builder.reduce(kInput1, slot, kOutput1, true);
  builder.copy(kOutput1, slot);
  builder.wait(0, 2, 1);
  return std::move(builder).finish();
}

TEST(Lower, EachOp_BecomesOneSweepWithItsPortsAndRow) {
  const FusedSchedule lowered = lower(sample());
  ASSERT_EQ(lowered.lanes.size(), 2U);
  ASSERT_EQ(lowered.lanes[0].size(), 5U);
  const std::vector<std::uint32_t> source_counts{1, 1, 2, 2, 1};
  for (std::size_t i = 0; i < 5; ++i) {
    const Sweep& sweep = lowered.lanes[0][i];
    EXPECT_EQ(sweep.source_count, source_counts[i]);
    EXPECT_EQ(sweep.target_count, 1U);
    EXPECT_EQ(sweep.row, 1U) << "a scratch slot has the row that it was made for";
    EXPECT_EQ(sweep.final, i == 3);
  }
  const Sweep& reduction = lowered.lanes[0][2];
  EXPECT_EQ(lowered.ports[reduction.first_source].slice, kInput1);
  EXPECT_EQ(lowered.ports[reduction.first_source + 1].kind, PortKind::kChannel);
  EXPECT_EQ(lowered.ports[reduction.first_source + 1].peer, 1);
  EXPECT_TRUE(lowered.lanes[1][0].is_wait);
  EXPECT_EQ(lowered.lanes[1][0].wait_sweep, 2U);
}

}  // namespace
}  // namespace rondo::schedule
