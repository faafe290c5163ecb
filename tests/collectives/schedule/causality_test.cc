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

TEST(Causality, Ring_KnowsEachPredecessorOneStepLater) {
  const auto causality = Causality::of(ring_world(4));  // copy, then send and recv three times
  ASSERT_TRUE(causality);
  const auto first_recv = causality->id(2, 0, 2);
  EXPECT_EQ(causality->receiver(causality->id(1, 0, 1), 2), first_recv);
  EXPECT_TRUE(causality->happens_before(causality->id(1, 0, 1), first_recv));
  EXPECT_FALSE(causality->happens_before(causality->id(0, 0, 1), first_recv));
  EXPECT_TRUE(causality->happens_before(causality->id(0, 0, 1), causality->id(2, 0, 4)));
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
  const auto causality = Causality::of(world);
  ASSERT_TRUE(causality);
  EXPECT_TRUE(causality->happens_before(causality->id(1, 0, 0), causality->id(0, 1, 0)));
  EXPECT_FALSE(causality->happens_before(causality->id(0, 1, 0), causality->id(0, 0, 1)));
}

TEST(Causality, EverybodyReceivesFirst_IsNothing) {
  std::vector<FusedSchedule> world;
  for (Rank rank = 0; rank < 2; ++rank) {
    Builder b({.world = 2, .rank = rank});
    b.recv(1 - rank, kOutput);
    b.send(1 - rank, kInput);
    world.push_back(lower(std::move(b).finish()));
  }
  EXPECT_FALSE(Causality::of(world));
}

}  // namespace
}  // namespace rondo::schedule
