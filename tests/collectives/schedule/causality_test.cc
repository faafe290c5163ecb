#include "collectives/schedule/causality.h"

#include <gtest/gtest.h>

#include "collectives/algorithms/ring_all_gather.h"

namespace rondo::schedule {
namespace {

constexpr Slice kInput{BufferRole::kInput, 0};
constexpr Slice kOutput{BufferRole::kOutput, 0};

std::vector<FusedSchedule> ring_world(int world) {
  std::vector<FusedSchedule> list;
  for (Rank rank = 0; rank < world; ++rank) {
    const auto rows = static_cast<std::uint32_t>(world);
    list.push_back(lower(algorithms::ring_all_gather(
        {.collective = Collective::kAllGather, .world = world, .rank = rank, .rows = rows})));
  }
  return list;
}

using TurnedSweep = Causality::TurnedSweep;

TurnedSweep sweep(const Causality& causality, Rank rank, std::size_t lane, std::size_t index) {
  return {causality.id(rank, lane, index), 0};
}

TEST(Causality, Ring_KnowsEachPredecessorOneStepLater) {
  const Rotation none = Rotation::none(4);
  const auto causality = Causality::of(ring_world(4), none);  // copy, 3 times send and recv
  ASSERT_TRUE(causality);
  const TurnedSweep first_recv = sweep(*causality, 2, 0, 2);
  EXPECT_EQ(causality->receiver(sweep(*causality, 1, 0, 1), 2), first_recv);
  EXPECT_TRUE(causality->happens_before(sweep(*causality, 1, 0, 1), first_recv));
  EXPECT_FALSE(causality->happens_before(sweep(*causality, 0, 0, 1), first_recv));
  EXPECT_TRUE(causality->happens_before(sweep(*causality, 0, 0, 1), sweep(*causality, 2, 0, 4)));
  EXPECT_FALSE(causality->happens_before(first_recv, first_recv));
  EXPECT_FALSE(causality->has_started(3, causality->id(2, 0, 4)));
  EXPECT_TRUE(causality->has_started(3, causality->id(2, 0, 6)));
}

TEST(Causality, WaitAcrossLanes_Orders) {
  std::vector<FusedSchedule> world;
  for (Rank rank = 0; rank < 2; ++rank) {
    Builder b({.world = 2, .rank = rank});
    b.send(1 - rank, kInput);
    b.recv(1 - rank, kOutput);
    b.wait(0, 1, 1);
    world.push_back(lower(std::move(b).finish()));
  }
  const Rotation none = Rotation::none(2);
  const auto causality = Causality::of(world, none);
  ASSERT_TRUE(causality);
  EXPECT_TRUE(causality->happens_before(sweep(*causality, 1, 0, 0), sweep(*causality, 0, 1, 0)));
  EXPECT_FALSE(causality->happens_before(sweep(*causality, 0, 1, 0), sweep(*causality, 0, 0, 1)));
}

TEST(Causality, EverybodyReceivesFirst_IsNothing) {
  std::vector<FusedSchedule> world;
  for (Rank rank = 0; rank < 2; ++rank) {
    Builder b({.world = 2, .rank = rank});
    b.recv(1 - rank, kOutput);
    b.send(1 - rank, kInput);
    world.push_back(lower(std::move(b).finish()));
  }
  const Rotation none = Rotation::none(2);
  EXPECT_FALSE(Causality::of(world, none));
}

}  // namespace
}  // namespace rondo::schedule
