// Plans of calls that differ in their counts alone, of a rank whose peers the test acts: they are
// made of one schedule, and by the algorithm that is wanted now.

#include "collectives/communicator/planner.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "collectives/schedule/link_speeds.h"
#include "tests/collectives/communicator/acted_peers.h"

namespace rondo::communicator {
namespace {

using schedule::Collective;

/// Rank 0 of three hosts.
class PlannerTest : public ::testing::Test {
 protected:
  PlannerTest()
      : mesh_(rondo::testing::acted_mesh(
            std::make_unique<rondo::testing::ActedTransport>(3),
            {{.host_identity = "a"}, {.host_identity = "b"}, {.host_identity = "c"}})),
        planner_(*mesh_, options_, Device::host()) {}

  std::shared_ptr<PreparedPlan> made(const CallArguments& arguments) {
    auto made = planner_.make(arguments);
    EXPECT_TRUE(made.ok()) << made.status().to_string();
    return *made;
  }
  /// Of so many elements to and from each.
  std::shared_ptr<PreparedPlan> all_to_all_v(std::initializer_list<std::size_t> list) {
    const std::vector<std::size_t> counts = list;
    std::size_t sum = 0;
    for (const std::size_t count : counts) sum += count;
    CallArguments arguments;
    arguments.collective = Collective::kAllToAll;
    arguments.input = arguments.output = Buffer(memory_, sum);
    arguments.uneven = true;
    arguments.input_counts = arguments.output_counts = counts;
    return made(arguments);
  }
  std::shared_ptr<PreparedPlan> all_reduce(std::size_t count) {
    CallArguments arguments;
    arguments.collective = Collective::kAllReduce;
    arguments.input = arguments.output = Buffer(memory_, count);
    return made(arguments);
  }
  std::shared_ptr<PreparedPlan> broadcast(std::size_t count, int root) {
    CallArguments arguments;
    arguments.collective = Collective::kBroadcast;
    arguments.input = arguments.output = Buffer(memory_, count);
    arguments.root = root;
    return made(arguments);
  }
  std::uint64_t builds() const { return planner_.schedules().builds(); }

  float memory_[1] = {};
  CommunicatorOptions options_;
  std::unique_ptr<transport::Mesh> mesh_;
  Planner planner_;
};

TEST_F(PlannerTest, PlansOfOtherCounts_AreMadeOfOneSchedule) {
  const auto first = all_to_all_v({1, 2, 3});
  ASSERT_NE(first->plan, nullptr);
  EXPECT_EQ(builds(), 1U);
  for (std::size_t more = 1; more < 20; ++more) {
    const auto plan = all_to_all_v({1, 2 + more, 3 * more});
    EXPECT_EQ(plan->plan->input_bytes(), (3 + 4 * more) * sizeof(float));
    EXPECT_EQ(plan->algorithm, first->algorithm);
  }
  EXPECT_EQ(builds(), 1U);
}

TEST_F(PlannerTest, PlansOfOtherRoots_AreMadeOfOtherSchedules) {
  planner_.force("tree");
  EXPECT_EQ(broadcast(100, 1)->plan->schedule().request.root, 1);
  EXPECT_EQ(broadcast(100, 2)->plan->schedule().request.root, 2);
  EXPECT_EQ(broadcast(101, 1)->plan->schedule().request.root, 1);
  EXPECT_EQ(builds(), 2U);
}

TEST_F(PlannerTest, AForcedAlgorithm_HasASchedule_ThatIsKeptBesideTheOthers) {
  planner_.force("ring");
  EXPECT_EQ(all_reduce(1'000)->algorithm, "ring");
  planner_.force("direct");
  EXPECT_EQ(all_reduce(1'000)->algorithm, "direct");
  EXPECT_EQ(builds(), 2U);
  planner_.force("ring");
  EXPECT_EQ(all_reduce(2'000)->algorithm, "ring");
  EXPECT_EQ(builds(), 2U);
}

TEST_F(PlannerTest, ATuning_IsGoneBy_WhateverWasPlannedBefore) {
  constexpr std::size_t kCount = 1 << 20;
  const std::string_view before = all_reduce(kCount)->algorithm;
  // Half of what the one that was chosen takes: nothing, by this tuning, but for that one.
  auto tuning = *select::built_in_tuning(false);
  tuning.network.groups.front().hosts = 3;
  tuning.measured.push_back({.collective = Collective::kAllReduce,
                             .algorithm = std::string(before),
                             .points = {{kCount * sizeof(float), 1e6, 1}}});
  planner_.use_tuning(std::make_shared<const select::Tuning>(tuning));
  const auto after = all_reduce(kCount);
  EXPECT_NE(after->algorithm, before);
  EXPECT_EQ(after->plan->schedule().request.rows,
            all_reduce(kCount)->plan->schedule().request.rows);
  planner_.use_tuning(nullptr);
  EXPECT_EQ(all_reduce(kCount)->algorithm, before);
}

TEST_F(PlannerTest, OtherLinks_MakeOtherSchedules) {
  planner_.force("neighbour_ring");
  const auto before = all_reduce(1'000);
  EXPECT_EQ(before->plan->schedule().request.layout->links(), nullptr);
  const double speeds[] = {1, 0.5, 0.25};
  planner_.use_links(schedule::LinkSpeeds::of_ranks(speeds));
  EXPECT_NE(all_reduce(1'000)->plan->schedule().request.layout->links(), nullptr);
  EXPECT_EQ(builds(), 2U);
  EXPECT_EQ(before->plan->schedule().request.layout->links(), nullptr) << "it has its own";
}

}  // namespace
}  // namespace rondo::communicator
