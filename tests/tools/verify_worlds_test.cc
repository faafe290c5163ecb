#include "tools/rondo/verify_worlds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tools/rondo/world_range.h"

namespace rondo::tool {
namespace {

using testing::ElementsAre;

TEST(VerifyWorlds, WorldByWorld_CountsWhatTheWholeRangeDoes) {
  const VerifyReport sum =
      verify_worlds({.first = 1, .last = 3}, true, Coverage::kChosen, [](int) {});
  const VerifyReport whole = verify_built_in(1, 3, true);
  EXPECT_TRUE(sum.ok) << sum.error;
  ASSERT_EQ(sum.algorithms.size(), whole.algorithms.size());
  for (std::size_t i = 0; i < whole.algorithms.size(); ++i) {
    EXPECT_EQ(sum.algorithms[i].name, whole.algorithms[i].name);
    EXPECT_EQ(sum.algorithms[i].worlds, whole.algorithms[i].worlds);
    EXPECT_EQ(sum.algorithms[i].schedules, whole.algorithms[i].schedules);
    EXPECT_EQ(sum.algorithms[i].sweeps, whole.algorithms[i].sweeps);
    EXPECT_EQ(sum.algorithms[i].direct_stores, whole.algorithms[i].direct_stores);
    EXPECT_EQ(sum.algorithms[i].least_credits, whole.algorithms[i].least_credits);
  }
  ASSERT_EQ(sum.mutants.size(), whole.mutants.size());
  for (std::size_t i = 0; i < whole.mutants.size(); ++i) {
    EXPECT_EQ(sum.mutants[i].kind, whole.mutants[i].kind);
    EXPECT_EQ(sum.mutants[i].mutants, whole.mutants[i].mutants);
    EXPECT_EQ(sum.mutants[i].caught, whole.mutants[i].caught);
    EXPECT_EQ(sum.mutants[i].equivalent, whole.mutants[i].equivalent);
    EXPECT_EQ(sum.mutants[i].sampled, whole.mutants[i].sampled);
    EXPECT_EQ(sum.mutants[i].missed, whole.mutants[i].missed);
  }
}

TEST(VerifyWorlds, EveryWorld_IsToldBeforeItsProof) {
  std::vector<int> told;
  verify_worlds({.first = 2, .last = 4}, false, Coverage::kChosen,
                [&](int world) { told.push_back(world); });
  EXPECT_THAT(told, ElementsAre(2, 3, 4));
}

TEST(VerifyWorlds, AStepBeyondTheLast_IsTheFirstAlone) {
  std::vector<int> told;
  verify_worlds(parse_world_range("2-3:65536"), false, Coverage::kChosen,
                [&](int world) { told.push_back(world); });
  EXPECT_THAT(told, ElementsAre(2));
}

}  // namespace
}  // namespace rondo::tool
