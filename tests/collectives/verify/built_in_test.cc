#include "collectives/verify/built_in.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fuse.h"
#include "collectives/verify/coverage.h"
#include "collectives/verify/verify.h"
#include "rondo/schedules.h"

namespace rondo::verify {
namespace {

using testing::ElementsAre;

// Larger ones are the test every_world's.
TEST(BuiltIn, Worlds1To16_AreAllRight) {
  const auto counts = verify_built_in(1, 16, Coverage::kEverything);
  ASSERT_TRUE(counts.ok()) << counts.status().to_string();
  ASSERT_EQ(counts->size(), algorithms::all().size());
  for (const AlgorithmCount& count : *counts) {
    EXPECT_EQ(count.worlds, 16U);
    EXPECT_GE(count.schedules, 32U) << "plain and fused";
    // Between hosts a step's rows go out before any is waited for: half of the world's at most.
    const bool by_steps_of_rows =
        count.name == "bruck" || count.name == "pat" || count.name == "halving_doubling";
    EXPECT_LE(count.least_credits, by_steps_of_rows ? 8U : 2U) << count.name;
  }
}

// Short rows are sent there one after the other, without a queue, into four slots.
TEST(BuiltIn, WhereMemoryIsShared_AChannelNeedsToHoldTwo) {
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    for (int world = 2; world <= 16; ++world) {
      schedule::Request request{.collective = algorithm.collective, .world = world};
      request.rows = algorithm.rows(request, 1);
      const auto report =
          verify_at_once(schedule::fuse_folded(builder_of(algorithm, request)), Order::kAny);
      ASSERT_TRUE(report.ok()) << report.status().to_string();
      EXPECT_LE(report->least_credits, 2U) << algorithm.name << " of " << world;
    }
  }
}

TEST(BuiltIn, DirectAllReduce_StoresEveryResultStraight) {
  const auto counts = verify_built_in(5, 5, Coverage::kEverything);
  ASSERT_TRUE(counts.ok()) << counts.status().to_string();
  for (const AlgorithmCount& count : *counts) {
    if (count.name != "direct" || count.collective != schedule::Collective::kAllReduce) continue;
    EXPECT_EQ(count.direct_stores, 5U * 4U);
  }
}

TEST(BuiltIn, WorldsUpTo512_LeaveNoAlgorithmOut) {
  for (const int world : {kThoroughUpTo + 1, 191}) {
    const auto counts = verify_built_in(world, world, Coverage::kChosen);
    ASSERT_TRUE(counts.ok()) << counts.status().to_string();
    for (const AlgorithmCount& count : *counts) {
      EXPECT_EQ(count.worlds, 1U) << count.name << " in a world of " << world;
      EXPECT_GE(count.schedules, 1U) << count.name << " in a world of " << world;
    }
  }
}

TEST(BuiltIn, WorldsAbove512_AreOfAlgorithmsOfFewMessages) {
  const auto counts = verify_built_in(1000, 1000, Coverage::kChosen);
  ASSERT_TRUE(counts.ok()) << counts.status().to_string();
  std::set<std::string_view> proved;
  for (const AlgorithmCount& count : *counts) {
    if (count.worlds == 1) proved.insert(count.name);
  }
  EXPECT_THAT(proved, ElementsAre("dissemination", "double_binary_tree", "hierarchical", "linear",
                                  "recursive_doubling", "tree"));
}

TEST(BuiltIn, EveryReduction_HasAnAlgorithmThatKeepsTheRanksOrder) {
  std::set<schedule::Collective> collectives;
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    if (algorithm.keeps_rank_order) collectives.insert(algorithm.collective);
  }
  EXPECT_EQ(collectives.size(), 3U);
  for (const schedule::Collective collective : collectives) {
    EXPECT_TRUE(schedule::reduces(collective));
  }
}

TEST(BuiltIn, EmptyRange_IsAnError) {
  EXPECT_FALSE(verify_built_in(0, 3, Coverage::kEverything).ok());
  EXPECT_FALSE(verify_built_in(3, 2, Coverage::kEverything).ok());
  const VerifyReport report = rondo::verify_built_in(4, 3, false);
  EXPECT_FALSE(report.ok);
  EXPECT_NE(report.error, "");
}

std::uint64_t mutants_of(int first_world, int last_world) {
  const VerifyReport report = rondo::verify_built_in(first_world, last_world, true);
  EXPECT_TRUE(report.ok) << report.error;
  std::uint64_t made = 0;
  for (const VerifiedMutants& row : report.mutants) made += row.mutants;
  return made;
}

TEST(PublicSchedules, Mutants_AreThoseOfTheWorldsAskedFor) {
  const std::uint64_t of_two = mutants_of(2, 2);
  const std::uint64_t of_three = mutants_of(3, 3);
  EXPECT_GT(of_two, 0U);
  EXPECT_GT(of_three, 0U);
  EXPECT_EQ(mutants_of(1, 3), of_two + of_three);
  EXPECT_EQ(mutants_of(kLastMutantWorld + 1, kLastMutantWorld + 1), 0U);
}

TEST(PublicSchedules, Report_NamesEveryAlgorithm) {
  const VerifyReport report = rondo::verify_built_in(2, 3, false);
  EXPECT_TRUE(report.ok) << report.error;
  EXPECT_TRUE(report.mutants.empty());
  const std::vector<AlgorithmInfo> list = built_in_algorithms();
  ASSERT_EQ(list.size(), report.algorithms.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].name, report.algorithms[i].name);
    EXPECT_EQ(list[i].collective, report.algorithms[i].collective);
    EXPECT_GT(report.algorithms[i].sweeps, 0U);
  }
}

}  // namespace
}  // namespace rondo::verify
