#include <gtest/gtest.h>

#include "collectives/algorithms/dissemination_barrier.h"

namespace rondo::algorithms {
namespace {

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
