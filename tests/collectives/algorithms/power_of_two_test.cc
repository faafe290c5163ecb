#include "collectives/algorithms/power_of_two.h"

#include <gtest/gtest.h>

#include <set>

namespace rondo::algorithms {
namespace {

TEST(PowerOfTwo, EveryWorld_NumbersThoseWhoTakePartOnce) {
  for (int world = 1; world <= 70; ++world) {
    const PowerOfTwo ranks(world);
    EXPECT_LE(ranks.size(), world);
    EXPECT_GT(2 * ranks.size(), world);
    std::set<int> numbers;
    for (int rank = 0; rank < world; ++rank) {
      if (ranks.is_guest(rank)) {
        EXPECT_TRUE(ranks.is_host(PowerOfTwo::other(rank))) << rank << " of " << world;
        continue;
      }
      EXPECT_EQ(ranks.rank(ranks.number(rank)), rank);
      numbers.insert(ranks.number(rank));
    }
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(ranks.size()));
    EXPECT_EQ(*numbers.begin(), 0);
    EXPECT_EQ(*numbers.rbegin(), ranks.size() - 1);
  }
}

}  // namespace
}  // namespace rondo::algorithms
