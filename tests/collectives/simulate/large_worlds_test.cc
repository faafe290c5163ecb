// Interchangeable ranks are simulated once, and that changes nothing.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fold.h"
#include "collectives/schedule/fuse.h"
#include "collectives/simulate/simulate.h"

namespace rondo::simulate {
namespace {

using algorithms::Algorithm;
using schedule::Collective;
using schedule::Rank;
using schedule::Request;

constexpr bool kSlow = RONDO_SLOW_BUILD;  // CMake: sanitizers

Network cluster(int hosts, int ranks) {
  Network network = default_network(hosts, ranks);
  network.groups[0].cores = ranks > 1 ? ranks / 2 : 1;
  return network;
}

Request request_of(const Algorithm& algorithm, const Network& network, std::size_t count) {
  Request request{.collective = algorithm.collective, .world = network.world()};
  request.layout = layout_of(network);
  request.rows = algorithm.rows(request, count);
  return request;
}

schedule::BuildSchedule builder(const Algorithm& algorithm, const Request& request) {
  return [&algorithm, own = request](Rank rank) mutable {
    own.rank = rank;
    return algorithm.build(own);
  };
}

void expect_the_same_folded(const Algorithm& algorithm, const Network& network) {
  const std::size_t count = static_cast<std::size_t>(network.world()) * 24;
  const Request request = request_of(algorithm, network, count);
  const auto world = schedule::fuse_folded(builder(algorithm, request));
  const auto table = schedule::ChunkTable::equal(count, request.rows);
  const auto folded = simulate(world, table, network, {.segment_bytes = 64});
  const auto whole = simulate(world, table, network, {.segment_bytes = 64, .fold = false});
  ASSERT_TRUE(folded.ok()) << folded.status().to_string();
  ASSERT_TRUE(whole.ok()) << whole.status().to_string();
  const std::string name = std::string(algorithm.name) + " of " + to_string(algorithm.collective) +
                           ", " + std::to_string(network.world()) + " ranks";
  EXPECT_EQ(folded->us, whole->us) << name;
  std::vector<double> busy(static_cast<std::size_t>(network.world()));
  std::vector<double> done(busy.size());
  for (const RankTime& rank : whole->ranks) {
    busy[static_cast<std::size_t>(rank.rank)] = rank.busy_us;
    done[static_cast<std::size_t>(rank.rank)] = rank.done_us;
  }
  for (const RankTime& rank : folded->ranks) {
    EXPECT_EQ(rank.done_us, done[static_cast<std::size_t>(rank.rank)]) << name;
    EXPECT_EQ(rank.busy_us, busy[static_cast<std::size_t>(rank.rank)]) << name;
  }
}

TEST(LargeWorlds, FoldedAsTheWholeWorld) {
  const std::vector<Network> networks = {cluster(2, 1), cluster(6, 1), cluster(3, 2),
                                         cluster(1, 8), cluster(4, 4), cluster(16, 3)};
  for (const Network& network : networks) {
    for (const Algorithm& algorithm : algorithms::all()) expect_the_same_folded(algorithm, network);
  }
}

TEST(LargeWorlds, FoldedAsTheWholeWorldOfAThousand) {
  const int hosts = kSlow ? 16 : 128;
  const auto& ring = *algorithms::find(Collective::kAllReduce, "ring");
  expect_the_same_folded(ring, cluster(hosts, 8));
  for (const std::string_view name : {"bidirectional_ring", "neighbour_ring"})
    expect_the_same_folded(*algorithms::find(Collective::kAllReduce, name), cluster(hosts / 4, 8));
  expect_the_same_folded(*algorithms::find(Collective::kAllGather, "bruck"), cluster(hosts, 8));
  expect_the_same_folded(*algorithms::find(Collective::kAllReduce, "direct"),
                         cluster(kSlow ? 4 : 16, 4));
}

TEST(LargeWorlds, ASwitchIsSharedAsMuchFolded) {
  Network network = cluster(8, 2);
  network.groups[0].hosts = 4;
  network.groups.push_back(network.groups[0]);
  network.switches = {{"left", 300, 300}, {"right", 300, 300}};
  network.groups[0].switch_index = 0;
  network.groups[1].switch_index = 1;
  for (const Algorithm& algorithm : algorithms::all()) expect_the_same_folded(algorithm, network);
}

TEST(LargeWorlds, ARingIsAsManyRanksAsAHostHas) {
  const auto& ring = *algorithms::find(Collective::kAllReduce, "ring");
  const Network network = cluster(16, 4);
  const Request request = request_of(ring, network, 64 * 24);
  const auto world = schedule::fuse_folded(builder(ring, request));
  const auto table = schedule::ChunkTable::equal(64 * 24, request.rows);
  const auto folded = simulate(world, table, network, {});
  ASSERT_TRUE(folded.ok());
  EXPECT_EQ(folded->ranks.size(), 4U);
  EXPECT_EQ(folded->ranks_each, 16);
  // Rows that differ in size are not interchangeable.
  const auto uneven = schedule::ChunkTable::equal(64 * 24 + 1, request.rows);
  EXPECT_EQ(simulate(world, uneven, network, {})->ranks.size(), 64U);
}

/// Of rows of two sizes every rank is its own: hundreds of gigabytes, if anybody tried.
TEST(LargeWorlds, RanksThatAllDiffer_AreRefusedBeforeTheyAreBuilt) {
  const Network network = cluster(8192, 8);
  const auto& ring = *algorithms::find(Collective::kAllReduce, "ring");
  const Request request = request_of(ring, network, 1000);
  const auto build = builder(ring, request);
  const auto world = schedule::fold_joined_sample(build(0), build);
  ASSERT_TRUE(world.has_value());
  const auto refused =
      simulate(*world, schedule::ChunkTable::equal(1000, request.rows), network, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), ErrorCode::kUnsupported);
  EXPECT_NE(refused.status().message().find("million steps to simulate"), std::string::npos)
      << refused.status().to_string();
}

TEST(LargeWorlds, SixtyFiveThousandRanks) {
  const int hosts = kSlow ? 512 : 8192;
  const Network network = cluster(hosts, 8);
  const auto world_size = static_cast<std::size_t>(network.world());
  const auto& ring = *algorithms::find(Collective::kAllReduce, "ring");
  const std::size_t count = world_size * 256;
  const Request request = request_of(ring, network, count);
  const auto build = builder(ring, request);
  const auto world = schedule::fold_joined_sample(build(0), build);
  ASSERT_TRUE(world.has_value());
  const auto table = schedule::ChunkTable::equal(count, request.rows);
  const auto around = simulate(*world, table, network, {});
  ASSERT_TRUE(around.ok()) << around.status().to_string();
  EXPECT_EQ(around->ranks.size(), 8U);
  EXPECT_GT(around->events, 8 * 2 * (world_size - 1));

  const auto& tree = *algorithms::find(Collective::kBroadcast, "tree");
  const Request tree_request = request_of(tree, network, 1000);
  const auto tree_world = schedule::fuse_folded(builder(tree, tree_request));
  const auto tree_table = schedule::ChunkTable::equal(1000, tree_request.rows);
  const auto down = simulate(tree_world, tree_table, network, {});
  ASSERT_TRUE(down.ok()) << down.status().to_string();
  EXPECT_EQ(down->ranks.size(), world_size);
  EXPECT_LT(down->us, around->us / 10);
}

}  // namespace
}  // namespace rondo::simulate
