#include <gtest/gtest.h>

#include <set>

#include "collectives/algorithms/direct_all_reduce.h"

namespace rondo::algorithms {
namespace {

TEST(DirectPeer, AllIndices_NameEveryPeerOnceStartingWithTheNeighbour) {
  for (int world = 2; world <= 9; ++world) {
    for (int rank = 0; rank < world; ++rank) {
      std::set<int> peers;
      for (int index = 0; index < world - 1; ++index) peers.insert(direct_peer(rank, index, world));
      EXPECT_EQ(direct_peer(rank, 0, world), (rank + 1) % world);
      EXPECT_EQ(peers.size(), static_cast<std::size_t>(world - 1));
      EXPECT_EQ(peers.count(rank), 0U);
    }
  }
}

TEST(DirectPeer, OneIndex_SendsNoTwoRanksToTheSamePeer) {
  std::set<int> peers;
  for (int rank = 0; rank < 7; ++rank) peers.insert(direct_peer(rank, 3, 7));
  EXPECT_EQ(peers.size(), 7U);
}

}  // namespace
}  // namespace rondo::algorithms
