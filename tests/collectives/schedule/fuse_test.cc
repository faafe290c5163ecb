#include "collectives/schedule/fuse.h"

#include <gtest/gtest.h>

#include "collectives/algorithms/direct_all_reduce.h"
#include "collectives/schedule/print.h"

namespace rondo::schedule {
namespace {

constexpr Slice kInput{BufferRole::kInput, 0};
constexpr Slice kOutput{BufferRole::kOutput, 0};

TEST(Fuse, DirectAllReduce_IsOneSweepOfManySourcesAndTargets) {
  const auto build = [](Rank rank) {
    return algorithms::direct_all_reduce({.world = 4, .rank = rank, .rows = 4});
  };
  const FusedSchedule fused = unfold(fuse_folded(build), 2);
  EXPECT_EQ(describe_sweep(fused, 0, 3),
            "sweep 4/7 {rank 0, rank 1, input 2, rank 3} -> {output 2, rank 3 (direct), rank 0 "
            "(direct), rank 1 (direct)}, row 2 (final) [lane 0]");
  EXPECT_TRUE(fused.scratch_rows.empty());
}

TEST(Fuse, JoinedWorldWouldDeadlock_IsLeftUnfused) {
  // Both ranks have filled the other's channel when they want to pass on what they receive. A recv
  // on its own makes room; a sweep that also sends waits for room first.
  const auto crossed = [](Rank rank) {
    Builder b({.world = 2, .rank = rank});
    const Slice received = b.scratch(0);
    b.send(1 - rank, kInput);
    b.send(1 - rank, kInput);
    b.recv(1 - rank, received);
    b.send(1 - rank, received);
    b.recv(1 - rank, kOutput);
    b.recv(1 - rank, kOutput);
    return std::move(b).finish();
  };
  EXPECT_EQ(unfold(fuse_folded(crossed), 0).lanes[0].size(), lower(crossed(0)).lanes[0].size());
}

TEST(Fuse, Barrier_StaysAsItIs) {
  const auto build = [](Rank rank) {
    Builder b({.collective = Collective::kBarrier, .world = 2, .rank = rank});
    b.send(1 - rank, kInput);
    b.recv(1 - rank, kOutput);
    return std::move(b).finish();
  };
  const FusedSchedule fused = unfold(fuse_folded(build), 1);
  EXPECT_EQ(fused.lanes[0].size(), 2U);
  for (const Port& port : fused.ports) EXPECT_FALSE(port.direct);
}

}  // namespace
}  // namespace rondo::schedule
