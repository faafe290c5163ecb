#include "collectives/schedule/print.h"

#include <gtest/gtest.h>

#include "collectives/algorithms/ring_all_reduce.h"
#include "collectives/schedule/fuse.h"

namespace rondo::schedule {
namespace {

RankSchedule ring(Rank rank) {
  return algorithms::ring_all_reduce({.world = 2, .rank = rank, .rows = 2});
}

TEST(Print, Op_NamesNumberKindPeerRowAndLane) {
  EXPECT_EQ(describe_op(ring(0), 0, 0), "op 1/4 send -> rank 1, row 0 [lane 0]");
  EXPECT_EQ(describe_op(ring(0), 0, 1), "op 2/4 recv_reduce <- rank 1, row 1 (final) [lane 0]");
  EXPECT_EQ(describe_op(ring(0), 0, 3), "op 4/4 recv <- rank 1, row 0 [lane 0]");
}

TEST(Print, LocalOps_NameTheirSlices) {
  Builder builder({.world = 2, .rows = 2});
  const Slice slot = builder.scratch(1);
  builder.copy({BufferRole::kInput, 1}, slot);
  builder.reduce({BufferRole::kInput, 1}, slot, {BufferRole::kOutput, 1}, false);
  builder.wait(0, 1, 1);
  const RankSchedule schedule = std::move(builder).finish();
  EXPECT_EQ(describe_op(schedule, 0, 0), "op 1/2 copy input 1 -> scratch 0 [lane 0]");
  EXPECT_EQ(describe_op(schedule, 0, 1), "op 2/2 reduce input 1, scratch 0 -> output 1 [lane 0]");
  EXPECT_EQ(describe_op(schedule, 1, 0), "op 1/1 wait for op 2 of lane 0 [lane 1]");
  EXPECT_EQ(describe_sweep(lower(schedule), 1, 0), "op 1/1 wait for op 2 of lane 0 [lane 1]");
}

TEST(Print, FusedSchedule_IsReadableAsAWhole) {
  EXPECT_EQ(describe(unfold(fuse_folded(ring), 0)),
            "all_reduce of 2 rows, rank 0 of 2\n"
            "  sweep 1/3 send -> rank 1, row 0 [lane 0]\n"
            "  sweep 2/3 {input 1, rank 1} -> {output 1, rank 1 (direct)}, row 1 (final) [lane 0]\n"
            "  sweep 3/3 recv <- rank 1, row 0 [lane 0]\n");
}

}  // namespace
}  // namespace rondo::schedule
