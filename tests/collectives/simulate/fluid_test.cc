#include "collectives/simulate/fluid.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

#include "tests/collectives/simulate/reference_simulation.h"

namespace rondo::simulate {
namespace {

/// Runs all to their ends; when each of them was over.
std::map<ActivityId, double> run(Fluid& fluid) {
  std::map<ActivityId, double> ends;
  std::vector<ActivityId> ended;
  while (const auto time = fluid.next_end()) {
    ended.clear();
    fluid.advance(*time, ended);
    for (const ActivityId id : ended) ends[id] = *time;
  }
  return ends;
}

TEST(Fluid, TwoOnOneLinkShareIt) {
  Fluid fluid;
  const ResourceId link = fluid.add_resource(10);
  const Use use{link, 1};
  const ActivityId longer = fluid.start(100, 0, {&use, 1});
  const ActivityId shorter = fluid.start(40, 0, {&use, 1});
  const auto ends = run(fluid);
  EXPECT_DOUBLE_EQ(ends.at(shorter), 8);  // both at 5
  EXPECT_DOUBLE_EQ(ends.at(longer), 14);  // then 60 at 10
}

TEST(Fluid, WhatOneCannotUseTheOthersGet) {
  Fluid fluid;
  const ResourceId fast = fluid.add_resource(10);
  const ResourceId slow = fluid.add_resource(2);
  const Use both[] = {{fast, 1}, {slow, 1}};
  const Use fast_alone[] = {{fast, 1}};
  const ActivityId limited = fluid.start(20, 0, both);
  const ActivityId free = fluid.start(80, 0, fast_alone);
  const auto ends = run(fluid);
  EXPECT_DOUBLE_EQ(ends.at(limited), 10);
  EXPECT_DOUBLE_EQ(ends.at(free), 10);  // at 8, not at 5
}

TEST(Fluid, ACapHoldsAndWeightsCount) {
  Fluid fluid;
  const ResourceId cores = fluid.add_resource(2);
  const Use use{cores, 4};  // four ranks behind each
  const ActivityId shared = fluid.start(3, 1, {&use, 1});
  const ActivityId alone = fluid.start(3, 1, {});
  const auto ends = run(fluid);
  EXPECT_DOUBLE_EQ(ends.at(shared), 6);
  EXPECT_DOUBLE_EQ(ends.at(alone), 3);
}

TEST(Fluid, NothingToDoIsOverAtOnce) {
  Fluid fluid;
  const ActivityId none = fluid.start(0, 1, {});
  EXPECT_DOUBLE_EQ(run(fluid).at(none), 0);
}

TEST(Fluid, StartsLaterThanTheOthers) {
  Fluid fluid;
  const ResourceId link = fluid.add_resource(4);
  const Use use{link, 1};
  const ActivityId first = fluid.start(40, 0, {&use, 1});
  std::vector<ActivityId> ended;
  ASSERT_DOUBLE_EQ(*fluid.next_end(), 10);
  fluid.advance(5, ended);
  EXPECT_TRUE(ended.empty());
  const ActivityId second = fluid.start(40, 0, {&use, 1});
  const auto ends = run(fluid);
  EXPECT_DOUBLE_EQ(ends.at(first), 15);
  EXPECT_DOUBLE_EQ(ends.at(second), 20);
}

/// Random links and activities; each one's end by the reference's speeds.
std::vector<double> reference_ends(const std::vector<double>& capacities,
                                   std::vector<std::vector<std::pair<int, double>>> uses,
                                   std::vector<double> most, std::vector<double> amounts) {
  std::vector<double> ends(amounts.size(), -1);
  std::vector<std::size_t> names(amounts.size());
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = i;
  double now = 0;
  while (!names.empty()) {
    const auto speeds = reference_speeds(capacities, uses, most);
    std::size_t next = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (amounts[i] / speeds[i] < amounts[next] / speeds[next]) next = i;
    }
    const double step = amounts[next] / speeds[next];
    now += step;
    for (std::size_t i = 0; i < names.size(); ++i) amounts[i] -= step * speeds[i];
    ends[names[next]] = now;
    const auto at = static_cast<std::ptrdiff_t>(next);
    names.erase(names.begin() + at);
    uses.erase(uses.begin() + at);
    most.erase(most.begin() + at);
    amounts.erase(amounts.begin() + at);
  }
  return ends;
}

TEST(Fluid, AsTheReferenceOnRandomNetworks) {
  std::mt19937 random(20261123);
  const auto between = [&](double least, double last) {
    return std::uniform_real_distribution<>(least, last)(random);
  };
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> capacities(2 + random() % 6);
    for (double& capacity : capacities) capacity = between(0.7, 9.3);
    std::vector<std::vector<std::pair<int, double>>> uses(1 + random() % 12);
    std::vector<double> most;
    std::vector<double> amounts;
    Fluid fluid;
    for (const double capacity : capacities) fluid.add_resource(capacity);
    for (auto& own : uses) {
      std::vector<Use> list;
      for (std::size_t r = 0; r < capacities.size(); ++r) {
        if (random() % 3 != 0 || own.size() == Fluid::kMostUses) continue;
        own.emplace_back(static_cast<int>(r), between(0.4, 3.1));
        list.push_back({static_cast<ResourceId>(r), own.back().second});
      }
      most.push_back(own.empty() || random() % 2 == 0 ? between(0.3, 4.7) : 0);
      amounts.push_back(between(0.1, 50));
      fluid.start(amounts.back(), most.back(), list);
    }
    const auto ends = run(fluid);
    const auto expected = reference_ends(capacities, uses, most, amounts);
    for (std::size_t i = 0; i < amounts.size(); ++i)
      EXPECT_NEAR(ends.at(static_cast<ActivityId>(i)), expected[i], 1e-4)
          << "trial " << trial << ", activity " << i;
  }
}

}  // namespace
}  // namespace rondo::simulate
