#include "collectives/algorithms/hops.h"

#include <gtest/gtest.h>

namespace rondo::algorithms {
namespace {

TEST(Hops, Senders_AreWhomTheirReceiversHearFrom) {
  for (const int world : {2, 3, 4, 6, 8, 9, 64, 128}) {
    for (int distance = 0; distance < world; ++distance) {
      for (int rank = 0; rank < world; ++rank)
        EXPECT_EQ(hop_from(hop_to(rank, distance, world), distance, world), rank);
    }
  }
}

TEST(Hops, OverSeveralDistances_LeadAsFarAsOneOverTheirSum) {
  for (const int world : {6, 8, 64, 128}) {
    for (int rank = 0; rank < world; ++rank)
      EXPECT_EQ(hop_to(hop_to(rank, 1, world), 4, world), hop_to(rank, 5, world));
  }
}

TEST(Hops, SmallWorldsThatArePowersOfTwo_HaveMessagesBothWays) {
  EXPECT_EQ(hop_to(5, 4, 8), 1);
  EXPECT_EQ(hop_from(5, 4, 8), 1);
  EXPECT_EQ(hop_to(3, 1, kMostPaired), hop_from(3, 1, kMostPaired));
}

TEST(Hops, OtherWorlds_GoRoundTheRing) {
  EXPECT_EQ(hop_to(4, 4, 6), 2);
  EXPECT_EQ(hop_from(1, 4, 6), 3);
  EXPECT_EQ(hop_to(3, 1, 2 * kMostPaired), 4);
  EXPECT_EQ(hop_from(3, 1, 2 * kMostPaired), 2);
}

}  // namespace
}  // namespace rondo::algorithms
