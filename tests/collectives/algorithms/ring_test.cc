#include "collectives/algorithms/ring.h"

#include <gtest/gtest.h>

namespace rondo::algorithms {
namespace {

TEST(Ring, Neighbours_AreEachOthersAndGoRound) {
  EXPECT_EQ(ring_next(2, 3), 0);
  EXPECT_EQ(ring_previous(0, 3), 2);
  for (int world = 2; world <= 9; ++world) {
    for (int rank = 0; rank < world; ++rank) {
      EXPECT_EQ(ring_previous(ring_next(rank, world), world), rank);
    }
  }
}

TEST(Ring, ReduceRow_IsWhatThePreviousRankHadOneStepBefore) {
  for (int world = 2; world <= 9; ++world) {
    for (int rank = 0; rank < world; ++rank) {
      const int previous = ring_previous(rank, world);
      EXPECT_EQ(ring_reduce_row(rank, 0, world), ring_first_row(previous));
      EXPECT_EQ(ring_scatter_row(rank, 0, world), ring_scatter_first_row(previous, world));
      for (int step = 1; step < world - 1; ++step) {
        EXPECT_EQ(ring_reduce_row(rank, step, world), ring_reduce_row(previous, step - 1, world));
        EXPECT_EQ(ring_scatter_row(rank, step, world), ring_scatter_row(previous, step - 1, world));
      }
    }
  }
}

TEST(Ring, LastStep_CompletesTheNextRowOrForReduceScatterTheOwn) {
  for (int world = 2; world <= 9; ++world) {
    for (int rank = 0; rank < world; ++rank) {
      EXPECT_EQ(ring_reduce_row(rank, world - 2, world),
                static_cast<std::uint32_t>(ring_next(rank, world)));
      EXPECT_EQ(ring_scatter_row(rank, world - 2, world), static_cast<std::uint32_t>(rank));
    }
  }
}

TEST(Ring, GatherRows_StartWithWhatThePreviousRankCompletedAndAreAllDifferent) {
  for (int world = 2; world <= 9; ++world) {
    for (int rank = 0; rank < world; ++rank) {
      const int previous = ring_previous(rank, world);
      EXPECT_EQ(ring_gather_row(rank, 0, world), ring_reduce_row(previous, world - 2, world));
      std::vector<bool> seen(static_cast<std::size_t>(world), false);
      seen[ring_reduce_row(rank, world - 2, world)] = true;
      for (int step = 0; step < world - 1; ++step) {
        EXPECT_FALSE(seen[ring_gather_row(rank, step, world)]);
        seen[ring_gather_row(rank, step, world)] = true;
        EXPECT_EQ(ring_all_gather_row(rank, step, world), ring_gather_row(previous, step, world));
      }
    }
  }
}

}  // namespace
}  // namespace rondo::algorithms
