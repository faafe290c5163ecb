#include "collectives/verify/contributor_sets.h"

#include <gtest/gtest.h>

namespace rondo::verify {
namespace {

TEST(ContributorSets, Text_GroupsByRowAndShowsRepeats) {
  ContributorSets sets;
  const auto one = sets.single(1, 5);
  const auto two = sets.join(one, sets.single(0, 5));
  EXPECT_EQ(sets.text(two), "row 5 of ranks {0, 1}");
  EXPECT_EQ(sets.text(sets.join(two, one)), "row 5 of ranks {0, 1, 1}");
  EXPECT_EQ(sets.text(sets.join(two, sets.single(3, 2))),
            "row 2 of ranks {3}, row 5 of ranks {0, 1}");
  EXPECT_EQ(sets.text(0), "nothing");
}

}  // namespace
}  // namespace rondo::verify
