#include "collectives/simulate/simulate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fuse.h"
#include "tests/collectives/simulate/reference_simulation.h"

namespace rondo::simulate {
namespace {

using algorithms::Algorithm;
using schedule::Collective;
using schedule::FoldedWorld;
using schedule::Rank;
using schedule::Request;

struct Case {
  FoldedWorld world;
  schedule::ChunkTable table = schedule::ChunkTable::equal(0, 1);
};

Case make_case(const Algorithm& algorithm, const Network& network, std::size_t count) {
  Request request{.collective = algorithm.collective, .world = network.world()};
  request.layout = layout_of(network);
  request.rows = algorithm.rows(request, count);
  const auto build = [&algorithm, request](Rank rank) mutable {
    request.rank = rank;
    return algorithm.build(request);
  };
  Case made{.world = schedule::fuse_folded(build)};
  made.table = schedule::ChunkTable::equal(count, request.rows);
  return made;
}

const Algorithm& algorithm(Collective collective, std::string_view name) {
  return *algorithms::find(collective, name);
}

/// Hosts of one rank; a message takes `alpha` and its bytes the link.
Network ideal(int world, double alpha_us, double bytes_per_us) {
  Network network;
  network.groups = {HostGroup{
      .hosts = world, .up_bytes_per_us = bytes_per_us, .down_bytes_per_us = bytes_per_us}};
  network.between.costs = {MessageCost{.latency_us = alpha_us}};
  return network;
}

Prediction predict(const Case& made, const Network& network, const Options& options) {
  auto prediction = simulate(made.world, made.table, network, options);
  EXPECT_TRUE(prediction.ok()) << prediction.status().to_string();
  return std::move(*prediction);
}

constexpr Options kWhole{.segment_bytes = std::size_t{1} << 30};

TEST(Simulate, RingIsItsFormula) {
  for (const int world : {2, 3, 5, 8}) {
    const Network network = ideal(world, 7, 100);
    const std::size_t count = 1000 * static_cast<std::size_t>(world);
    const auto made = make_case(algorithm(Collective::kAllReduce, "ring"), network, count);
    const double expected = 2.0 * (world - 1) * (7 + 4000 / 100.0);
    EXPECT_NEAR(predict(made, network, kWhole).us, expected, 1e-6) << world;
  }
}

TEST(Simulate, TreeIsItsFormula) {
  const Network network = ideal(8, 3, 50);
  const auto made = make_case(algorithm(Collective::kBroadcast, "tree"), network, 500);
  // The root's three messages share its link until the shortest path is through; all of them end
  // at once, then each child's do.
  const double bytes = 2000 / 50.0;
  EXPECT_NEAR(predict(made, network, kWhole).us, 3 * 3 + bytes * (3 + 2 + 1), 1e-4);
}

TEST(Simulate, RanksOfAHostShareItsLink) {
  Network network = ideal(2, 0, 100);
  const auto alone = make_case(algorithm(Collective::kAllToAll, "direct"), network, 4000);
  const double one = predict(alone, network, kWhole).us;
  network.groups[0].ranks = 2;
  const auto both = make_case(algorithm(Collective::kAllToAll, "direct"), network, 8000);
  // Two ranks send 4000 bytes each to each of the other host's two: four messages where there was
  // one of twice the length.
  EXPECT_NEAR(predict(both, network, kWhole).us, one * 2, 1e-4);
}

TEST(Simulate, RanksOfAHostShareItsCores) {
  Network network;
  network.groups = {HostGroup{.ranks = 4, .cores = 4}};
  network.work.read_us_per_byte = 0.01;
  network.work.write_us_per_byte = 0.01;
  network.work.reduce_us_per_byte = 0.01;
  network.inside.maps = true;
  const auto made = make_case(algorithm(Collective::kAllReduce, "direct"), network, 400);
  const double apart = predict(made, network, kWhole).us;
  network.groups[0].cores = 1;
  EXPECT_NEAR(predict(made, network, kWhole).us, 4 * apart, 1e-4);
}

/// One host whose ranks share memory; nothing costs but to read and to write.
Network shared_memory(int ranks, double read_us_per_byte, double write_us_per_byte) {
  Network network;
  network.groups = {HostGroup{.ranks = ranks}};
  network.inside.maps = true;
  network.work.read_us_per_byte = read_us_per_byte;
  network.work.write_us_per_byte = write_us_per_byte;
  return network;
}

/// The root of a broadcast copies its input to its output, then the other copies that: a byte is
/// read and written twice. Of what all ranks touch, the part that doesn't fit the cache costs so
/// many times as much.
TEST(Simulate, WhatDoesNotFitTheCacheIsItsFormula) {
  constexpr double kRead = 0.03, kWrite = 0.05, kBeyond = 2.5;
  constexpr std::size_t kCount = 10'000;
  constexpr double kBytes = 4.0 * kCount, kTouched = 2 * kBytes;
  Network network = shared_memory(2, kRead, kWrite);
  network.work.beyond_cache = kBeyond;
  const auto made = make_case(algorithm(Collective::kBroadcast, "linear"), network, kCount);
  for (const auto& [cache, outside] : std::initializer_list<std::pair<double, double>>{
           {0, 0}, {kTouched, 0}, {3 * kTouched, 0}, {kTouched / 2, 0.5}, {kTouched / 4, 0.75}}) {
    network.work.cache_bytes = cache;
    const double expected = 2 * kBytes * (kRead + kWrite) * (1 + outside * (kBeyond - 1));
    EXPECT_NEAR(predict(made, network, kWhole).us, expected, 1e-6) << cache;
  }
}

/// Where the memory is slower than the cores together, it is what all of them wait for: first the
/// root's copy, then those of all others at once.
TEST(Simulate, RanksOfAHostShareItsMemory) {
  constexpr double kRead = 0.03, kWrite = 0.05;
  constexpr std::size_t kCount = 10'000;
  constexpr double kBytes = 4.0 * kCount;
  for (const int ranks : {2, 3, 5}) {
    Network network = shared_memory(ranks, kRead, kWrite);
    const auto made = make_case(algorithm(Collective::kBroadcast, "linear"), network, kCount);
    network.work.cache_bytes = ranks * kBytes / 5;   // four fifths are beyond it
    const double through_memory = 2 * kBytes * 0.8;  // of one copy
    const double by_a_core = kBytes * (kRead + kWrite);
    for (const double bytes_per_us : {10.0, 1e3}) {
      network.groups[0].memory_bytes_per_us = bytes_per_us;
      const double of_all = std::max(by_a_core, (ranks - 1) * through_memory / bytes_per_us);
      const double expected = std::max(by_a_core, through_memory / bytes_per_us) + of_all;
      EXPECT_NEAR(predict(made, network, kWhole).us, expected, 1e-3) << ranks << bytes_per_us;
    }
  }
}

/// The rows of an all_to_all are all ranks' data; its buffers are each rank's own part of them.
TEST(Simulate, OfAllToAllTheCacheHoldsEachRanksPart) {
  constexpr double kRead = 0.03, kWrite = 0.05, kBeyond = 2.5;
  constexpr std::size_t kCount = 12'000;  // of each rank
  constexpr double kBytes = 4.0 * kCount;
  for (const int ranks : {2, 8}) {
    Network network = shared_memory(ranks, kRead, kWrite);
    network.work.beyond_cache = kBeyond;
    const auto made = make_case(algorithm(Collective::kAllToAll, "direct"), network,
                                kCount * static_cast<std::size_t>(ranks));
    const double touched = ranks * kBytes;
    for (const auto& [cache, outside] : std::initializer_list<std::pair<double, double>>{
             {0, 0}, {touched, 0}, {touched / 2, 0.5}, {touched / 4, 0.75}}) {
      network.work.cache_bytes = cache;
      const double expected = kBytes * (kRead + kWrite) * (1 + outside * (kBeyond - 1));
      EXPECT_NEAR(predict(made, network, kWhole).us, expected, 1e-3) << ranks << ", " << cache;
    }
  }
}

using Lanes = std::array<std::uint16_t, 3>;

/// Two ranks' all_gather: one lane copies when another one's wait is over, which is for what the
/// third one sends to be read. Behind its wait the other lane has nothing to do, or a copy of its
/// own. `lanes`: which they are.
Case waiting_case(const Lanes& lanes, bool copies_twice) {
  const auto [copies, passes_on, sends] = lanes;
  Case made{.world = {schedule::Rotation::none(2), {}},
            .table = schedule::ChunkTable::equal(2000, 2)};
  for (const Rank rank : {0, 1}) {
    schedule::Builder builder(
        {.collective = Collective::kAllGather, .world = 2, .rank = rank, .rows = 2});
    const auto own = static_cast<std::uint32_t>(rank);
    const schedule::Slice input{schedule::BufferRole::kInput, own};
    const schedule::Slice output{schedule::BufferRole::kOutput, own};
    builder.wait(passes_on, 0, copies);
    builder.copy(input, output, copies);
    builder.wait(sends, 0, passes_on);
    if (copies_twice) builder.copy(input, output, passes_on);
    builder.send(1 - rank, input, sends);
    builder.recv(1 - rank, {schedule::BufferRole::kOutput, 1 - own}, sends);
    made.world.bases.push_back(lower(std::move(builder).finish()));
  }
  return made;
}

/// Whichever lane is looked at first.
TEST(Simulate, ALaneMayWaitForAnotherOnesWait) {
  constexpr double kMessage = 7 + 4000 / 100.0, kCopy = 4000 * (0.01 + 0.02);
  Network network = ideal(2, 7, 100);
  network.work.read_us_per_byte = 0.01;
  network.work.write_us_per_byte = 0.02;
  Lanes lanes{0, 1, 2};
  do {
    const std::string name = fmt::format("lanes {}, {}, {}", lanes[0], lanes[1], lanes[2]);
    EXPECT_NEAR(predict(waiting_case(lanes, false), network, kWhole).us, kMessage + kCopy, 1e-4)
        << name;
    EXPECT_NEAR(predict(waiting_case(lanes, true), network, kWhole).us, kMessage + 2 * kCopy, 1e-4)
        << name;
  } while (std::ranges::next_permutation(lanes).found);
}

TEST(Simulate, SegmentsOverlap) {
  const Network network = ideal(4, 1, 100);
  const auto made = make_case(algorithm(Collective::kBroadcast, "linear"), network, 10000);
  const double whole = predict(made, network, kWhole).us;
  EXPECT_NEAR(predict(made, network, {.segment_bytes = 4000}).us, whole, 1e-6)
      << "one link is the bottleneck either way";
  const auto ring = make_case(algorithm(Collective::kAllGather, "ring"), network, 40000);
  EXPECT_LT(predict(ring, network, {.segment_bytes = 4000}).us,
            predict(ring, network, kWhole).us - 1);
}

/// Every kind of cost is something.
Network random_network(std::mt19937& random, bool alike) {
  const auto between = [&](double least, double last) {
    return std::uniform_real_distribution<>(least, last)(random);
  };
  Network network;
  const int groups = alike ? 1 : 1 + static_cast<int>(random() % 3);
  if (random() % 2 == 0) network.switches = {{"a", 120, 130}, {"b", 120, 130}};
  for (int i = 0; i < groups; ++i) {
    network.groups.push_back(
        HostGroup{.hosts = alike ? 4 : 1 + static_cast<int>(random() % 2),
                  .ranks = 1 + static_cast<int>(random() % 3),
                  .cores = static_cast<int>(random() % 3),
                  .up_bytes_per_us = random() % 4 == 0 ? 0 : between(20, 200),
                  .down_bytes_per_us = random() % 4 == 0 ? 0 : between(20, 200)});
    if (!network.switches.empty()) network.groups.back().switch_index = alike ? 0 : i % 2;
  }
  const auto link = [&](bool maps) {
    Link made{.maps = maps, .bytes_per_us = random() % 2 == 0 ? 0 : between(50, 300)};
    made.costs = {MessageCost{.most_bytes = 300,
                              .latency_us = between(0.2, 2),
                              .send_us = between(0.1, 1),
                              .receive_us = between(0.1, 1)},
                  MessageCost{.latency_us = between(1, 3),
                              .send_us = between(0.1, 1),
                              .send_us_per_byte = between(0.001, 0.01),
                              .receive_us = between(0.1, 1),
                              .receive_us_per_byte = between(0.001, 0.01)}};
    return made;
  };
  network.inside = link(true);
  network.between = link(false);
  network.work = {.call_us = between(0, 1),
                  .read_us_per_byte = between(0.001, 0.01),
                  .write_us_per_byte = between(0.001, 0.01),
                  .reduce_us_per_byte = between(0.001, 0.01)};
  return network;
}

TEST(Simulate, AsTheReferenceForEveryAlgorithm) {
  std::mt19937 random(5);
  for (const Algorithm& algorithm : algorithms::all()) {
    for (int trial = 0; trial < 6; ++trial) {
      const Network network = random_network(random, false);
      const Case made = make_case(algorithm, network, 77 + random() % 2000);
      const Options options{.segment_bytes = 512, .segments_each = trial % 2 == 0 ? 1U : 3U};
      const Prediction prediction = predict(made, network, options);
      const auto expected = reference_simulation(unfold(made.world), made.table, network, options);
      const auto each = static_cast<std::size_t>(prediction.ranks.front().ranks_each);
      ASSERT_EQ(prediction.ranks.size() * each, expected.size());
      for (const RankTime& rank : prediction.ranks) {
        const double reference = expected[static_cast<std::size_t>(rank.rank)];
        EXPECT_NEAR(rank.done_us, reference, 1e-5 * reference)
            << algorithm.name << " of " << to_string(algorithm.collective) << ", trial " << trial
            << ", rank " << rank.rank;
      }
    }
  }
}

/// What is simulated as one piece overlaps with less, but is no less work.
TEST(Simulate, LongerPiecesAreAsManyMessages) {
  std::mt19937 random(6);
  int with_long_rows = 0;
  for (const Algorithm& algorithm : algorithms::all()) {
    const Network network = random_network(random, false);
    const Case made = make_case(algorithm, network, 9'000);
    Options options{.segment_bytes = 512};
    const Prediction one = predict(made, network, options);
    options.most_pieces = one.events / 8;
    const Prediction longer = predict(made, network, options);
    // Rows of two sizes are all as the longer ones then.
    if (longer.rows != Prediction::Rows::kExact) continue;
    const std::string name =
        fmt::format("{} of {}", algorithm.name, to_string(algorithm.collective));
    ASSERT_EQ(longer.ranks.size(), one.ranks.size()) << name;
    for (std::size_t i = 0; i < one.ranks.size(); ++i)
      EXPECT_NEAR(longer.ranks[i].busy_us, one.ranks[i].busy_us, 1e-6) << name;
    ASSERT_EQ(longer.traffic.size(), one.traffic.size()) << name;
    for (std::size_t i = 0; i < one.traffic.size(); ++i)
      EXPECT_EQ(longer.traffic[i].messages, one.traffic[i].messages) << name;
    const bool has_long_rows =
        made.table.count(0) * options.element_bytes > 2 * options.segment_bytes;
    if (has_long_rows) {
      EXPECT_LT(longer.events, one.events) << name;
    }
    with_long_rows += has_long_rows ? 1 : 0;
  }
  EXPECT_GT(with_long_rows, 20);
}

TEST(Simulate, ASlowLinkIsFelt) {
  Network network = ideal(4, 1, 100);
  const auto made = make_case(algorithm(Collective::kAllReduce, "ring"), network, 40000);
  const double even = predict(made, network, kWhole).us;
  network.groups = {HostGroup{.hosts = 3, .up_bytes_per_us = 100, .down_bytes_per_us = 100},
                    HostGroup{.hosts = 1, .up_bytes_per_us = 20, .down_bytes_per_us = 100}};
  EXPECT_GT(predict(made, network, kWhole).us, 3 * even);
}

TEST(Simulate, TrafficIsWhatTheScheduleSends) {
  const Network network = ideal(4, 1, 100);
  const auto made = make_case(algorithm(Collective::kAllReduce, "ring"), network, 4000);
  const Prediction prediction = predict(made, network, kWhole);
  ASSERT_EQ(prediction.traffic.size(), prediction.ranks.size());
  EXPECT_EQ(prediction.traffic[0].bytes, 2 * 3 * 4000U);
  EXPECT_EQ(prediction.traffic[0].messages, 6U);
}

TEST(Simulate, AMessageThatNobodySendsIsNamed) {
  const auto& ring = algorithm(Collective::kAllReduce, "ring");
  const Network network = ideal(3, 1, 100);
  Request request{.collective = ring.collective, .world = 3, .rows = 3};
  std::vector<schedule::FusedSchedule> ranks;
  for (request.rank = 0; request.rank < 3; ++request.rank)
    ranks.push_back(lower(ring.build(request)));
  ranks[1].lanes[0].erase(ranks[1].lanes[0].begin());  // its first send
  const FoldedWorld world{schedule::Rotation::none(3), ranks};
  const auto result = simulate(world, schedule::ChunkTable::equal(9, 3), network, {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message().find("waits in step"), std::string::npos)
      << result.status().to_string();
}

TEST(Simulate, AWorldOfAnotherSizeIsRefused) {
  const auto made = make_case(algorithm(Collective::kAllReduce, "ring"), ideal(3, 1, 1), 9);
  const auto result = simulate(made.world, made.table, ideal(4, 1, 1), {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(), "the schedule is for 3 ranks, the network has 4");
}

}  // namespace
}  // namespace rondo::simulate
