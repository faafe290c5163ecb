#include "collectives/communicator/plan_cache.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace rondo::communicator {
namespace {

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

}  // namespace
}  // namespace rondo::communicator
