#include "collectives/verify/mutants.h"

#include <gtest/gtest.h>

#include <iostream>

#include "collectives/algorithms/ring_all_reduce.h"

namespace rondo::verify {
namespace {

TEST(Mutants, EveryKind_IsCaughtOrShownEquivalent) {
  std::uint64_t caught = 0;
  std::uint64_t mutants = 0;
  for (const MutantCount& count : count_mutants({})) {
    std::cout << to_string(count.mutation) << ": " << count.mutants << " mutants, " << count.caught
              << " caught, " << count.equivalent << " equivalent, " << count.sampled << " sampled, "
              << count.missed << " missed\n";
    EXPECT_GT(count.mutants, 0U) << to_string(count.mutation);
    EXPECT_GT(count.caught, 0U) << to_string(count.mutation);
    EXPECT_EQ(count.missed, 0U) << to_string(count.mutation) << ": " << count.first_missed;
    EXPECT_EQ(count.sampled, 0U) << to_string(count.mutation);
    EXPECT_EQ(count.mutants, count.caught + count.equivalent + count.sampled + count.missed);
    caught += count.caught;
    mutants += count.mutants;
  }
  EXPECT_GT(caught * 10, mutants * 6) << "most mutants must be wrong, or they test nothing";
}

TEST(Mutate, SameSeed_DoesTheSameWrong) {
  World world;
  for (int rank = 0; rank < 3; ++rank) {
    world.push_back(algorithms::ring_all_reduce({.world = 3, .rank = rank, .rows = 3}));
  }
  for (int i = 0; i < kMutationCount; ++i) {
    const auto mutation = static_cast<Mutation>(i);
    std::minstd_rand first(7);
    std::minstd_rand second(7);
    const FusedWorld a = mutate(world, mutation, first);
    const FusedWorld b = mutate(world, mutation, second);
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(a.empty(), mutation == Mutation::kDropWait) << "a ring has no waits";
    for (std::size_t rank = 0; rank < a.size(); ++rank) {
      EXPECT_EQ(a[rank].ports.size(), b[rank].ports.size());
      EXPECT_EQ(a[rank].lanes[0].size(), b[rank].lanes[0].size());
    }
  }
}

}  // namespace
}  // namespace rondo::verify
