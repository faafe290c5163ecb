// Choices by what was measured: the simulation with a tuning's constants, corrected.

#include "collectives/select/pricing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "collectives/select/fit.h"

namespace rondo::select {
namespace {

using algorithms::Algorithm;
using schedule::Collective;
using schedule::HostLayout;

constexpr std::size_t kSegment = 64 * 1024;

std::shared_ptr<Tuning> tuning_of(int hosts, int ranks) {
  auto tuning = std::make_shared<Tuning>();
  tuning->network = simulate::default_network(hosts, ranks);
  return tuning;
}

schedule::SharedLayout layout_of(const std::vector<int>& hosts) {
  return std::make_shared<const HostLayout>(HostLayout(hosts));
}

double predicted(Pricing& pricing, std::string_view name, std::size_t bytes) {
  return pricing.predicted_us(*algorithms::find(Collective::kAllReduce, name), bytes);
}

TEST(PricedBytes, AreTheNearestOfTwoAnOctave) {
  EXPECT_EQ(priced_bytes(0), 4U);
  EXPECT_EQ(priced_bytes(1024), 1024U);
  EXPECT_EQ(priced_bytes(1279), 1024U);
  EXPECT_EQ(priced_bytes(1280), 1536U);
  EXPECT_EQ(priced_bytes(1791), 1536U);
  EXPECT_EQ(priced_bytes(1792), 2048U);
  for (std::size_t bytes = 4; bytes < 100'000; bytes += 37) {
    const double ratio = static_cast<double>(priced_bytes(bytes)) / static_cast<double>(bytes);
    EXPECT_LE(std::abs(std::log(ratio)), std::log(1.25) + 1e-9) << bytes;
  }
}

TEST(PricedBytes, AroundASizeAreTheNearestOnEitherSide) {
  using Pair = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(priced_around(0), Pair(4, 4));
  EXPECT_EQ(priced_around(1024), Pair(1024, 1024));
  EXPECT_EQ(priced_around(1025), Pair(1024, 1536));
  EXPECT_EQ(priced_around(1536), Pair(1536, 1536));
  EXPECT_EQ(priced_around(2047), Pair(1536, 2048));
}

/// Of sizes that nothing is chosen for by themselves, too.
TEST(Pricing, PredictsSizesBetweenThosePricedAsIfTheyWereSimulated) {
  auto tuning = tuning_of(1, 4);
  tuning->measured = {{.collective = Collective::kAllReduce,
                       .algorithm = "ring",
                       .points = {{.bytes = 1 << 10, .us = 10, .simulated_us = 10},
                                  {.bytes = 1 << 20, .us = 30, .simulated_us = 10}}}};
  const auto pricing = Pricing::make(tuning, layout_of({0, 0, 0, 0}), kSegment);
  for (const char* name : {"ring", "direct", "recursive_doubling"}) {
    const Algorithm& algorithm = *algorithms::find(Collective::kAllReduce, name);
    double before = 0;
    for (const std::size_t bytes :
         std::initializer_list<std::size_t>{1024, 1100, 1532, 5'000, 70'004, 1 << 20, 3'000'000}) {
      const double us = pricing->predicted_between_us(algorithm, bytes);
      EXPECT_NEAR(us, pricing->predicted_us(algorithm, bytes), 0.03 * us) << name << bytes;
      EXPECT_GT(us, before);
      before = us;
    }
  }
}

/// Between two that are level a product's rounding would decide.
TEST(Pricing, APace_MultipliesPredictionsAndChangesNoChoice) {
  auto tuning = tuning_of(1, 4);
  tuning->measured = {{.collective = Collective::kAllReduce,
                       .algorithm = "ring",
                       .points = {{.bytes = 4096, .us = 30, .simulated_us = 10}}},
                      {.collective = Collective::kAllReduce,
                       .algorithm = "ring",
                       .memory = MemoryKind::kRegistered,
                       .points = {{.bytes = 4096, .us = 5, .simulated_us = 10}}}};
  const Pace pace{{{1024, 3}, {1 << 20, 0.7}}, {{1024, 2}, {1 << 20, 0.5}}};
  const auto layout = layout_of({0, 0, 0, 0});
  const auto then = Pricing::make(tuning, layout, kSegment);
  const auto now = Pricing::make(tuning, layout, kSegment);
  EXPECT_EQ(now->candidates(Collective::kAllReduce, 4096, {}).front().predicted_us,
            then->candidates(Collective::kAllReduce, 4096, {}).front().predicted_us);
  now->use_pace(pace);
  for (const std::size_t bytes :
       std::initializer_list<std::size_t>{64, 1024, 4096, 65'536, 1 << 20, 8 << 20}) {
    const auto& list = now->candidates(Collective::kAllReduce, bytes, {});
    const auto& before = then->candidates(Collective::kAllReduce, bytes, {});
    ASSERT_EQ(list.size(), before.size());
    const double ratio = pace.at(bytes, MemoryKind::kOrdinary);
    const double registered = pace.at(bytes, MemoryKind::kRegistered);
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_EQ(list[i].algorithm, before[i].algorithm) << bytes;
      EXPECT_DOUBLE_EQ(list[i].predicted_us, before[i].predicted_us * ratio) << bytes;
      EXPECT_DOUBLE_EQ(list[i].registered_us, before[i].registered_us * registered) << bytes;
      const Algorithm& algorithm = *list[i].algorithm;
      EXPECT_DOUBLE_EQ(now->predicted_between_us(algorithm, bytes),
                       then->predicted_between_us(algorithm, bytes) * ratio);
      // What isn't known there is predicted as on ordinary memory, with that one's pace.
      const bool is_known = algorithm.name == "ring" && bytes == 4096;
      EXPECT_DOUBLE_EQ(now->predicted_between_us(algorithm, bytes, MemoryKind::kRegistered),
                       then->predicted_between_us(algorithm, bytes, MemoryKind::kRegistered) *
                           (is_known ? registered : ratio));
    }
  }
  // Another world than the one that was measured has no pace.
  const auto half = layout_of({0, 0});
  const auto of_half = Pricing::make(tuning, half, kSegment);
  of_half->use_pace(pace);
  EXPECT_EQ(predicted(*of_half, "ring", 4096),
            predicted(*Pricing::make(tuning, half, kSegment), "ring", 4096));
}

TEST(Pace, IsBetweenItsPointsByLogarithms_AndTheNearestBeyond) {
  const MemoryKind ordinary = MemoryKind::kOrdinary;
  const Pace pace{{{64, 4}, {4096, 1}, {65'536, 0.25}}, {}};
  EXPECT_EQ(Pace{}.at(100, ordinary), 1);
  EXPECT_EQ(pace.at(0, ordinary), 4);
  EXPECT_EQ(pace.at(64, ordinary), 4);
  EXPECT_NEAR(pace.at(512, ordinary), 2, 1e-12);
  EXPECT_EQ(pace.at(4096, ordinary), 1);
  EXPECT_NEAR(pace.at(16'384, ordinary), 0.5, 1e-12);
  EXPECT_EQ(pace.at(1 << 30, ordinary), 0.25);
  EXPECT_EQ(pace.at(4096, MemoryKind::kRegistered), 1) << "none of its own";
  const Pace apart{{{64, 4}}, {{64, 2}}};
  EXPECT_EQ(apart.at(64, ordinary), 4);
  EXPECT_EQ(apart.at(64, MemoryKind::kRegistered), 2);
}

TEST(Pricing, ChoosesTheLeastSimulatedTime) {
  const auto pricing = Pricing::make(tuning_of(1, 4), layout_of({0, 0, 0, 0}), kSegment);
  ASSERT_NE(pricing, nullptr);
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{1} << 22}) {
    const auto list = pricing->candidates(Collective::kAllReduce, bytes, {});
    ASSERT_GT(list.size(), 5U);
    for (std::size_t i = 1; i < list.size(); ++i)
      EXPECT_LE(list[i - 1].predicted_us, list[i].predicted_us);
    EXPECT_DOUBLE_EQ(list.front().predicted_us,
                     predicted(*pricing, list.front().algorithm->name, bytes));
  }
  EXPECT_NE(pricing->candidates(Collective::kAllReduce, 64, {}).front().algorithm,
            pricing->candidates(Collective::kAllReduce, 1 << 22, {}).front().algorithm);
}

TEST(Pricing, IsCorrectedWhereItWasMeasured_AndThereAlone) {
  auto tuning = tuning_of(1, 4);
  tuning->measured = {{.collective = Collective::kAllReduce,
                       .algorithm = "ring",
                       .points = {{.bytes = 1 << 20, .us = 30, .simulated_us = 10}}}};
  const auto bare = Pricing::make(tuning_of(1, 4), layout_of({0, 0, 0, 0}), kSegment);
  const auto measured = Pricing::make(tuning, layout_of({0, 0, 0, 0}), kSegment);
  EXPECT_DOUBLE_EQ(predicted(*measured, "ring", 1 << 20), 3 * predicted(*bare, "ring", 1 << 20));
  EXPECT_DOUBLE_EQ(predicted(*measured, "direct", 1 << 20), predicted(*bare, "direct", 1 << 20));
  const auto other = Pricing::make(tuning, layout_of({0, 0, 0}), kSegment);
  const auto other_bare = Pricing::make(tuning_of(1, 4), layout_of({0, 0, 0}), kSegment);
  EXPECT_DOUBLE_EQ(predicted(*other, "ring", 1 << 20), predicted(*other_bare, "ring", 1 << 20));
}

MeasuredTimes all_reduce_times(std::string algorithm, MemoryKind memory, double us) {
  return {.collective = Collective::kAllReduce,
          .algorithm = std::move(algorithm),
          .memory = memory,
          .points = {{.bytes = 1 << 20, .us = us, .simulated_us = 1}}};
}

/// Factors by which the simulation is corrected: others are far behind either.
std::shared_ptr<Tuning> tuning_of_two(std::pair<double, double> ring,
                                      std::pair<double, double> direct) {
  auto tuning = tuning_of(1, 2);
  for (const Algorithm& algorithm : algorithms::all()) {
    if (algorithm.collective != Collective::kAllReduce) continue;
    const auto own = algorithm.name == "ring"     ? ring
                     : algorithm.name == "direct" ? direct
                                                  : std::pair(1e4, 1e4);
    const std::string name(algorithm.name);
    tuning->measured.push_back(all_reduce_times(name, MemoryKind::kOrdinary, own.first));
    tuning->measured.push_back(all_reduce_times(name, MemoryKind::kRegistered, own.second));
  }
  return tuning;
}

/// By two ranks ring and direct are one to the simulation.
TEST(Pricing, OfOrdinaryAndRegisteredMemory_TheOneThatIsFurtherBehindCounts) {
  using Pair = std::pair<double, double>;
  const auto chosen = [](const Pair& ring, const Pair& direct) {
    const auto pricing = Pricing::make(tuning_of_two(ring, direct), layout_of({0, 0}), kSegment);
    const auto& list = pricing->candidates(Collective::kAllReduce, 1 << 20, {});
    const Candidate& first = list.front();
    EXPECT_DOUBLE_EQ(first.registered_us, pricing->predicted_between_us(*first.algorithm, 1 << 20,
                                                                        MemoryKind::kRegistered));
    for (std::size_t i = 1; i < list.size(); ++i)
      EXPECT_LE(most_behind(list[i - 1], list), most_behind(list[i], list));
    return first.algorithm->name;
  };
  EXPECT_EQ(chosen({10, 5}, {11, 6}), "ring");
  EXPECT_EQ(chosen({11, 6}, {10, 5}), "direct");
  EXPECT_EQ(chosen({10, 8}, {11, 5}), "direct") << "1.1 times behind, the ring 1.6 times";
  EXPECT_EQ(chosen({12, 5}, {10, 5.5}), "direct") << "1.1 times behind, the ring 1.2 times";
  EXPECT_EQ(chosen({10, 5.5}, {12, 5}), "ring");
  EXPECT_EQ(chosen({10, 5.7}, {10.4, 5}), "ring") << "1.04 times behind, a tenth less than 1.14";
  EXPECT_EQ(chosen({10, 5.8}, {10.4, 5}), "direct");
}

/// What it took elsewhere says nothing: another size is another way.
TEST(Pricing, WhatWasntMeasuredNearby_CountsForNothingOnRegisteredMemory) {
  const auto chosen = [](std::size_t one_shot_bytes) {
    auto tuning = tuning_of_two({10, 8}, {11, 5});
    for (MeasuredTimes& times : tuning->measured) {
      if (times.algorithm == "one_shot" && times.memory == MemoryKind::kRegistered)
        times.points = {{.bytes = one_shot_bytes, .us = 1, .simulated_us = 1}};
      if (times.algorithm == "one_shot" && times.memory == MemoryKind::kOrdinary)
        times.points.front().us = 8;  // by the simulation it takes longer
    }
    const auto pricing = Pricing::make(tuning, layout_of({0, 0}), kSegment);
    const auto& list = pricing->candidates(Collective::kAllReduce, 1 << 20, {});
    const auto one_shot = std::ranges::find_if(
        list, [](const Candidate& each) { return each.algorithm->name == "one_shot"; });
    EXPECT_EQ(one_shot->registered_us > 0, one_shot_bytes == 1 << 19);
    return list.front().algorithm->name;
  };
  EXPECT_EQ(chosen(1 << 19), "one_shot");
  EXPECT_EQ(chosen(1 << 18), "direct");
  EXPECT_EQ(chosen(1 << 22), "direct");
}

TEST(Pricing, RegisteredMemoryOfAnotherWorld_CountsForNothing) {
  const auto pricing =
      Pricing::make(tuning_of_two({10, 8}, {11, 5}), layout_of({0, 0, 0}), kSegment);
  for (const Candidate& each : pricing->candidates(Collective::kAllReduce, 1 << 20, {}))
    EXPECT_EQ(each.registered_us, 0) << each.algorithm->name;
  const auto barriers = Pricing::make(tuning_of_two({10, 8}, {11, 5}), layout_of({0, 0}), kSegment);
  for (const Candidate& each : barriers->candidates(Collective::kBarrier, 0, {}))
    EXPECT_EQ(each.registered_us, 0) << "of which none was measured there";
}

TEST(Pricing, HostsThatWereMeasured_HaveTheirOwnConstants) {
  const auto tuning_with_cores = [](int first, int second) {
    auto tuning = tuning_of(1, 4);
    tuning->network.groups = {tuning->network.groups.front(), tuning->network.groups.front()};
    tuning->network.groups[0].cores = first;
    tuning->network.groups[1].cores = second;
    return tuning;
  };
  const std::vector<int> hosts = {0, 0, 0, 0, 1, 1, 1, 1};
  const auto us = [&](int first, int second) {
    const auto pricing =
        Pricing::make(tuning_with_cores(first, second), layout_of(hosts), kSegment);
    return predicted(*pricing, "hierarchical", 1 << 20);
  };
  EXPECT_NEAR(us(1, 4), us(4, 1), us(4, 1) * 0.01) << "whichever is the slow one";
  EXPECT_GT(us(4, 1), 1.2 * us(4, 4));
}

/// However many they are: hosts of a large world that are alike are no thing each.
TEST(NetworkFor, OtherHostsHaveTheFirstOnesConstants_InGroupsOfThoseAlike) {
  simulate::Network measured = simulate::default_network(1, 4);
  measured.groups.push_back({.hosts = 1, .ranks = 4, .cores = 1});
  const auto layout = layout_of({0, 0, 1, 1, 2, 2, 3});
  const simulate::Network network = network_for(*layout, measured);
  ASSERT_EQ(network.groups.size(), 2U);
  EXPECT_EQ(network.groups[0].hosts, 3);
  EXPECT_EQ(network.groups[0].ranks, 2);
  EXPECT_EQ(network.groups[1].hosts, 1);
  EXPECT_EQ(network.groups[1].ranks, 1);
  for (const simulate::HostGroup& group : network.groups) EXPECT_EQ(group.cores, 4);
  EXPECT_EQ(network_for(*layout_of({0, 0, 0, 0, 1, 1, 1, 1}), measured).groups[1].cores, 1);
}

TEST(Pricing, OfASchedule_IsWhatTheAlgorithmWithItTakes) {
  const auto layout = layout_of({0, 0, 0, 0});
  const auto pricing = Pricing::make(built_in_tuning(true), layout, kSegment);
  const auto same = Pricing::make(tuning_of(1, 4), layout, kSegment);
  const Algorithm& ring = *algorithms::find(Collective::kAllReduce, "ring");
  // The last one in longer pieces: its own are too many.
  for (const std::size_t bytes : {std::size_t{4096}, std::size_t{1} << 20, std::size_t{1} << 36}) {
    const auto schedules = schedules_of(
        ring, {.collective = Collective::kAllReduce, .world = 4, .layout = layout}, bytes / 4);
    EXPECT_DOUBLE_EQ(pricing->predicted_us(schedules->world, schedules->table, 4),
                     predicted(*same, "ring", bytes));
  }
}

/// Thousands of messages that share links are work, but no more than a choice may take.
TEST(Pricing, ManyRanksOfHosts_HaveDirectExchangesToChoose) {
  std::vector<int> hosts;
  for (int rank = 0; rank < Pricing::kMostRanks; ++rank) hosts.push_back(rank / 4);
  const auto pricing = Pricing::make(tuning_of(16, 4), layout_of(hosts), kSegment);
  const auto& candidates = pricing->candidates(Collective::kReduce, 1 << 20, {});
  EXPECT_TRUE(std::ranges::any_of(candidates, [](const Candidate& candidate) {
    return candidate.algorithm->name == "direct";
  }));
}

TEST(Pricing, WithoutSharedMemory_AHostsRanksAreJoinedAsHostsAre) {
  const Algorithm& ring = *algorithms::find(Collective::kAllReduce, "ring");
  const auto apart = Pricing::make(built_in_tuning(false), layout_of({0, 0, 0}), kSegment);
  const auto together = Pricing::make(built_in_tuning(true), layout_of({0, 0, 0}), kSegment);
  EXPECT_GT(apart->predicted_us(ring, 1024), 5 * together->predicted_us(ring, 1024));
}

TEST(Pricing, DemandsAreKept) {
  const auto pricing = Pricing::make(tuning_of(1, 4), layout_of({0, 0, 0, 0}), kSegment);
  const Demands in_rank_order{.order = Demands::Order::kRanks};
  for (const Candidate& candidate :
       pricing->candidates(Collective::kAllReduce, 1 << 20, in_rank_order))
    EXPECT_TRUE(candidate.algorithm->keeps_rank_order) << candidate.algorithm->name;
  EXPECT_FALSE(pricing->candidates(Collective::kAllReduce, 1 << 20, {}).empty());
}

TEST(Pricing, IsntForLayoutsThatTheNetworkCantSay) {
  EXPECT_EQ(Pricing::make(tuning_of(2, 2), layout_of({0, 1, 0, 1}), kSegment), nullptr)
      << "hosts in turn";
  EXPECT_EQ(Pricing::make(tuning_of(1, 4), layout_of(std::vector<int>(65, 0)), kSegment), nullptr);
  EXPECT_NE(Pricing::make(tuning_of(1, 4), layout_of({0, 0, 1, 1}), kSegment), nullptr);
}

/// Runs as long as they are on `network`.
std::vector<TimedRun> runs_on(const simulate::Network& network,
                              const schedule::SharedLayout& layout) {
  std::vector<TimedRun> runs;
  for (const char* name : {"ring", "direct", "recursive_doubling"}) {
    const Algorithm& algorithm = *algorithms::find(Collective::kAllReduce, name);
    for (const std::size_t bytes : {std::size_t{1024}, std::size_t{65536}, std::size_t{1} << 21}) {
      auto schedules = schedules_of(
          algorithm,
          {.collective = Collective::kAllReduce, .world = layout->world(), .layout = layout},
          bytes / 4);
      const simulate::Options options = priced_options(kSegment);
      runs.push_back({.schedules = std::move(*schedules),
                      .options = options,
                      .us = simulated_us(algorithm, bytes, layout, network, kSegment)});
    }
  }
  return runs;
}

TEST(Fit, FindsConstantsThatExplainTheTimes) {
  for (const auto& [hosts, ranks] : {std::pair{1, 4}, std::pair{2, 2}}) {
    simulate::Network real = simulate::default_network(hosts, ranks);
    real.inside.costs.front().latency_us *= 7;
    real.between.costs.front().send_us *= 5;
    real.between.costs.front().receive_us *= 5;
    real.groups.front().up_bytes_per_us /= 6;
    real.groups.front().down_bytes_per_us /= 6;
    real.work.read_us_per_byte *= 3;
    real.work.write_us_per_byte *= 3;
    const simulate::Network start = simulate::default_network(hosts, ranks);
    const auto runs = runs_on(real, simulate::layout_of(real));
    EXPECT_GT(misfit(start, runs), 0.5);
    EXPECT_LT(misfit(fit(start, runs), runs), 0.1) << hosts << " hosts";
    EXPECT_DOUBLE_EQ(misfit(real, runs), 0);
  }
}

}  // namespace
}  // namespace rondo::select
