#include <gtest/gtest.h>

#include "collectives/algorithms/dissemination_barrier.h"

namespace rondo::algorithms {
namespace {

TEST(DisseminationBarrier, Rounds_PairSendersWithReceivers) {
  for (int world = 2; world <= 9; ++world) {
    for (int distance = 1; distance < world; distance *= 2) {
      for (int rank = 0; rank < world; ++rank) {
        EXPECT_EQ(barrier_source(barrier_target(rank, distance, world), distance, world), rank);
      }
    }
  }
}

TEST(DisseminationBarrier, Ops_AreTwoPerRound) {
  const auto ops = [](int world) {
    return dissemination_barrier({.collective = schedule::Collective::kBarrier, .world = world})
        .lanes[0]
        .size();
  };
  EXPECT_EQ(ops(1), 0U);
  EXPECT_EQ(ops(2), 2U);
  EXPECT_EQ(ops(8), 6U);
  EXPECT_EQ(ops(9), 8U);
}

}  // namespace
}  // namespace rondo::algorithms
