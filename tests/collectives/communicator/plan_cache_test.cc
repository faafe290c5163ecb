#include "collectives/communicator/plan_cache.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "collectives/algorithms/registry.h"

namespace rondo::communicator {
namespace {

using schedule::Collective;

transport::Fingerprint key_of(std::size_t count) { return {.collective = 1, .count = count}; }

/// How many it took out for that.
std::size_t insert(PlanCache& cache, std::size_t count, std::shared_ptr<PreparedPlan> plan) {
  std::size_t taken = 0;
  while (cache.make_room_for(*plan) != nullptr) ++taken;
  plan->key = key_of(count);
  cache.insert(std::move(plan));
  return taken;
}

TEST(PlanCache, BeyondItsMost_ForgetsTheOneUsedLeastRecently) {
  PlanCache cache;
  std::vector<std::weak_ptr<PreparedPlan>> plans;
  std::uint64_t uses = 0;
  const auto add = [&](std::size_t count) {
    auto plan = std::make_shared<PreparedPlan>();
    plan->used = ++uses;
    plans.push_back(plan);
    return insert(cache, count, std::move(plan));
  };
  for (std::size_t count = 0; count < PlanCache::kMost; ++count) EXPECT_EQ(add(count), 0U);
  cache.find(key_of(0))->used = ++uses;

  EXPECT_EQ(add(PlanCache::kMost), 1U);
  EXPECT_TRUE(plans[1].expired());
  EXPECT_EQ(cache.find(key_of(1)), nullptr);
  EXPECT_EQ(cache.find(key_of(0)), plans[0].lock().get());
  EXPECT_EQ(cache.find(key_of(2)), plans[2].lock().get());
  EXPECT_EQ(cache.find(key_of(PlanCache::kMost)), plans.back().lock().get());
  plans[2].lock()->used = ++uses;

  add(PlanCache::kMost + 1);
  EXPECT_TRUE(plans[3].expired());
  EXPECT_FALSE(plans[0].expired());
}

TEST(PlanCache, OfMoreScratchThanItKeeps_ForgetsThoseUsedLeastRecently) {
  constexpr std::size_t kPlans = 5;
  PlanCache cache;
  std::uint64_t uses = 0;
  const auto add = [&](std::size_t count, std::size_t bytes) {
    auto plan = std::make_shared<PreparedPlan>();
    plan->scratch_bytes = bytes;
    plan->used = ++uses;
    insert(cache, count, std::move(plan));
  };
  const auto are_there = [&](const std::vector<std::size_t>& expected) {
    std::vector<std::size_t> there;
    for (std::size_t count = 0; count <= kPlans + 1; ++count)
      if (cache.find(key_of(count)) != nullptr) there.push_back(count);
    EXPECT_EQ(there, expected);
  };
  for (std::size_t count = 0; count < kPlans; ++count) add(count, PlanCache::kMostBytes / kPlans);
  are_there({0, 1, 2, 3, 4});
  cache.find(key_of(0))->used = ++uses;
  add(kPlans, PlanCache::kMostBytes / kPlans * 2);
  are_there({0, 3, 4, 5});
  add(kPlans + 1, 2 * PlanCache::kMostBytes);  // it is wanted now, whatever it takes
  are_there({6});
  add(0, 64);
  are_there({0});
}

/// Beside a list of all uses, newest last.
TEST(PlanCache, OfUsesInAnyOrder_TheLeastRecentOneGoes) {
  PlanCache cache;
  std::vector<std::size_t> order;
  std::mt19937 random(7);
  for (std::uint64_t use = 1; use <= 20'000; ++use) {
    const std::size_t count = random() % (2 * PlanCache::kMost);
    const bool is_there = std::erase(order, count) != 0;
    order.push_back(count);
    PreparedPlan* plan = cache.find(key_of(count));
    ASSERT_EQ(plan != nullptr, is_there) << "use " << use;
    if (plan == nullptr) {
      auto made = std::make_shared<PreparedPlan>();
      const bool is_full = order.size() > PlanCache::kMost;
      ASSERT_EQ(insert(cache, count, std::move(made)), is_full ? 1U : 0U);
      if (is_full) order.erase(order.begin());
      plan = cache.find(key_of(count));
    }
    plan->used = use;
  }
}

TEST(PlanCache, WhatACallHolds_OutlivesItsPlaceThere) {
  PlanCache cache;
  const auto held = std::make_shared<PreparedPlan>();
  insert(cache, 0, held);
  for (std::size_t count = 1; count <= PlanCache::kMost; ++count) {
    auto plan = std::make_shared<PreparedPlan>();
    plan->used = count;
    insert(cache, count, std::move(plan));
  }
  EXPECT_EQ(cache.find(key_of(0)), nullptr);
  EXPECT_EQ(held.use_count(), 1);
}

/// One that may become another's: of a built-in algorithm.
std::shared_ptr<PreparedPlan> reusable(const transport::Fingerprint& key, std::uint64_t used) {
  auto plan = std::make_shared<PreparedPlan>();
  plan->built_in = &algorithms::all().front();
  plan->key = key;
  plan->used = used;
  return plan;
}

TEST(PlanCache, PlanThatWouldBeForgotten_IsGivenToCallsOfItsKind) {
  PlanCache cache;
  std::uint64_t uses = 0;
  for (std::size_t count = 0; count < PlanCache::kMost; ++count) {
    EXPECT_EQ(cache.take_one_like(key_of(count)), nullptr) << "there is room for one more";
    cache.insert(reusable(key_of(count), ++uses));
  }
  EXPECT_EQ(cache.take_one_like({.collective = 2, .count = 999}), nullptr);
  EXPECT_EQ(cache.take_one_like({.collective = 1, .dtype = 3, .count = 999}), nullptr);
  EXPECT_EQ(cache.take_one_like({.collective = 1, .root = 1, .count = 999}), nullptr);
  // Whoever asked in vain has changed nothing.
  for (std::size_t next = PlanCache::kMost; next < 3 * PlanCache::kMost; ++next) {
    PreparedPlan* const oldest = cache.find(key_of(next - PlanCache::kMost));
    const std::shared_ptr<PreparedPlan> taken = cache.take_one_like(key_of(next));
    ASSERT_EQ(taken.get(), oldest);
    ASSERT_EQ(cache.find(key_of(next - PlanCache::kMost)), nullptr);
    taken->key = key_of(next);
    cache.insert(taken);
    taken->used = ++uses;
    ASSERT_EQ(cache.find(key_of(next)), oldest);
  }
}

TEST(PlanCache, PlanThatSomebodyHolds_StaysWhatItIs) {
  PlanCache cache;
  for (std::size_t count = 0; count < PlanCache::kMost; ++count)
    cache.insert(reusable(key_of(count), count + 1));
  const std::shared_ptr<PreparedPlan> held = cache.find(key_of(0))->shared_from_this();
  EXPECT_EQ(cache.take_one_like(key_of(999)), nullptr);
  EXPECT_EQ(cache.find(key_of(0)), held.get());
}

TEST(PlanCache, PlanOfAUsersSchedule_IsNobodyElses) {
  PlanCache cache;
  for (std::size_t count = 0; count < PlanCache::kMost; ++count) {
    auto plan = reusable(key_of(count), count + 1);
    plan->built_in = nullptr;
    cache.insert(std::move(plan));
  }
  EXPECT_EQ(cache.take_one_like(key_of(999)), nullptr);
}

TEST(UnevenPlans, PlanThatWouldBeForgotten_IsGivenToCallsOfItsKind) {
  const transport::Fingerprint key{.collective = static_cast<std::uint8_t>(Collective::kAllToAll),
                                   .form = transport::Fingerprint::kUneven};
  const auto calls_of = [](const std::vector<std::size_t>& counts) {
    CallArguments arguments;
    arguments.collective = Collective::kAllToAll;
    arguments.uneven = true;
    arguments.input_counts = arguments.output_counts = counts;
    return arguments;
  };
  UnevenPlans cache;
  std::uint64_t uses = 0;
  std::vector<PreparedPlan*> plans;
  for (std::size_t count = 0; count < 3 * UnevenPlans::kMost; ++count) {
    const std::vector<std::size_t> counts = {count, count};
    std::shared_ptr<PreparedPlan> plan = cache.take_one_like(key);
    ASSERT_EQ(plan != nullptr, count >= UnevenPlans::kMost) << count;
    if (plan == nullptr) plan = reusable(key, 0);
    if (count >= UnevenPlans::kMost) {
      ASSERT_EQ(plan.get(), plans[count - UnevenPlans::kMost]) << "used least recently";
      const std::vector<std::size_t> before(2, count - UnevenPlans::kMost);
      ASSERT_EQ(cache.find(key, calls_of(before)), nullptr);
    }
    plans.push_back(plan.get());
    plan->used = ++uses;
    cache.insert(key, calls_of(counts), std::move(plan));
    ASSERT_EQ(cache.find(key, calls_of(counts)), plans.back());
  }
  transport::Fingerprint other = key;
  other.dtype = 5;
  EXPECT_EQ(cache.take_one_like(other), nullptr);
}

}  // namespace
}  // namespace rondo::communicator
