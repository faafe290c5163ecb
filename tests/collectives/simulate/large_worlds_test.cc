// Interchangeable ranks are simulated once, and that changes nothing.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fold.h"
#include "collectives/schedule/fuse.h"
#include "collectives/schedule/join.h"
#include "collectives/simulate/simulate.h"
#include "tests/test_share.h"

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

std::string name_of(const Algorithm& algorithm, const Network& network) {
  return std::string(algorithm.name) + " of " + to_string(algorithm.collective) + ", " +
         std::to_string(network.world()) + " ranks";
}

schedule::BuildSchedule builder(const Algorithm& algorithm, const Request& request) {
  return [&algorithm, own = request](Rank rank) mutable {
    own.rank = rank;
    return algorithm.build(own);
  };
}

/// Sweeps of all ranks.
std::uint64_t sweeps_of(const schedule::FoldedWorld& world) {
  std::uint64_t sweeps = 0;
  for (const schedule::FusedSchedule& base : world.bases) {
    for (const auto& lane : base.lanes) sweeps += lane.size();
  }
  return sweeps * static_cast<std::uint64_t>(world.rotation.world()) / world.bases.size();
}

/// Where the ranks are turns of each other fewer are simulated. False where that can't be compared:
/// all ranks one by one would take more than `most_work`.
bool expect_the_same_folded(const schedule::FoldedWorld& world, const schedule::ChunkTable& table,
                            const Network& network, const std::string& name,
                            std::uint64_t most_work) {
  // Two pieces a row, each with a message; in one piece it would fit, and be another simulation.
  if (4 * sweeps_of(world) > most_work) return false;
  const auto whole =
      simulate(world, table, network, {.segment_bytes = 64, .fold = false, .most_work = most_work});
  if (!whole.ok() && whole.status().code() == ErrorCode::kUnsupported) return false;
  const auto folded = simulate(world, table, network, {.segment_bytes = 64});
  EXPECT_TRUE(whole.ok() && folded.ok()) << name << folded.status().to_string();
  if (!whole.ok() || !folded.ok()) return false;
  const bool turns = world.rotation.order() > 1;
  const auto each = static_cast<std::uint64_t>(folded->ranks.front().ranks_each);
  EXPECT_EQ(whole->events, folded->events * each) << name;
  EXPECT_EQ(folded->ranks.size() < whole->ranks.size(), turns) << name;
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
  return true;
}

void expect_the_same_folded(const Algorithm& algorithm, const Network& network) {
  const std::size_t least = static_cast<std::size_t>(network.world()) * 24;
  const Request request = request_of(algorithm, network, least);
  // Rows that differ in size are not interchangeable.
  const std::size_t count = (least + request.rows - 1) / request.rows * request.rows;
  EXPECT_TRUE(expect_the_same_folded(schedule::fuse_folded(builder(algorithm, request)),
                                     schedule::ChunkTable::equal(count, request.rows), network,
                                     name_of(algorithm, network), Options{}.most_work));
}

schedule::FoldedWorld joined_one_by_one(const schedule::BuildSchedule& build, int world) {
  schedule::FoldedWorld whole{schedule::Rotation::none(world), {}};
  for (Rank rank = 0; rank < world; ++rank)
    whole.bases.push_back(schedule::join_neighbours(build(rank)));
  return whole;
}

/// Its ranks' times are those of the same ranks of `whole`, and so is the last one's end.
void expect_the_same(const Prediction& some, const Prediction& whole, const std::string& name) {
  EXPECT_EQ(some.us, whole.us) << name;
  EXPECT_EQ(some.steps, whole.steps) << name;
  int ranks = 0;
  for (const RankTime& rank : some.ranks) {
    const RankTime& same = whole.ranks[static_cast<std::size_t>(rank.rank)];
    EXPECT_EQ(rank.done_us, same.done_us) << name << ", rank " << rank.rank;
    EXPECT_EQ(rank.busy_us, same.busy_us) << name << ", rank " << rank.rank;
    ranks += rank.ranks_each;
  }
  EXPECT_EQ(ranks, static_cast<int>(whole.ranks.size())) << name;
}

/// Rows of unequal sizes. What is simulated: a survey's kinds.
std::size_t expect_kinds_as_the_whole_world(const Algorithm& algorithm, const Network& network,
                                            std::size_t segment_bytes,
                                            std::size_t segments_each = 1) {
  const std::size_t count = static_cast<std::size_t>(network.world()) * 24 + 5;
  const Request request = request_of(algorithm, network, count);
  const auto build = builder(algorithm, request);
  const auto table = schedule::ChunkTable::equal(count, request.rows);
  const auto whole =
      simulate(joined_one_by_one(build, network.world()), table, network,
               {.segment_bytes = segment_bytes, .segments_each = segments_each, .fold = false});
  const auto some = simulate(Survey(build, network.world(), table), table, network,
                             {.segment_bytes = segment_bytes, .segments_each = segments_each});
  const std::string name = name_of(algorithm, network);
  EXPECT_TRUE(whole.ok() && some.ok()) << name << some.status().to_string();
  if (!whole.ok() || !some.ok()) return 0;
  expect_the_same(*some, *whole, name);
  return some->ranks.size();
}

/// What large worlds are simulated by, where there is a rotation.
void expect_sample_as_the_whole_world(const Algorithm& algorithm, const Network& network) {
  const std::size_t count = static_cast<std::size_t>(network.world()) * 24;
  const Request request = request_of(algorithm, network, count);
  const auto build = builder(algorithm, request);
  const auto table = schedule::ChunkTable::equal(count, request.rows);
  const auto folded = schedule::fold_joined_sample(build(0), build);
  if (!folded) return;
  const auto whole = simulate(joined_one_by_one(build, network.world()), table, network,
                              {.segment_bytes = 64, .fold = false});
  const auto some = simulate(*folded, table, network, {.segment_bytes = 64});
  ASSERT_TRUE(whole.ok() && some.ok());
  expect_the_same(*some, *whole, name_of(algorithm, network));
  EXPECT_LT(some->ranks.size(), whole->ranks.size()) << name_of(algorithm, network);
}

/// `most_work` is less than all ranks one by one need, and enough for those that are alike.
void expect_within_bounds(const Algorithm& algorithm, const Network& network, std::size_t count,
                          bool may_be_near, Options options = {}) {
  const Request request = request_of(algorithm, network, count);
  const auto build = builder(algorithm, request);
  const auto folded = schedule::fold_joined_sample(build(0), build);
  if (!folded || count % request.rows == 0) return;
  const auto table = schedule::ChunkTable::equal(count, request.rows);
  const auto exact = simulate(*folded, table, network, options);
  ASSERT_TRUE(exact.ok());
  options.most_work = exact->events / 2;
  const auto bounded = simulate(*folded, table, network, options);
  EXPECT_TRUE(bounded.ok() || may_be_near);
  if (!bounded.ok()) return;  // links are shared so much that this wasn't enough
  const std::string name = name_of(algorithm, network) + ", " + std::to_string(count);
  EXPECT_LT(bounded->ranks.size(), exact->ranks.size()) << name;
  const bool is_bounded = bounded->rows == Prediction::Rows::kBounded;
  EXPECT_TRUE(is_bounded || may_be_near) << name;
  EXPECT_LE(bounded->least_us, exact->us * (is_bounded ? 1 : 1.05)) << name;
  EXPECT_GE(bounded->us, exact->us * (is_bounded ? 1 : 0.95)) << name;
}

TEST(LargeWorlds, KindsAsTheWholeWorld) {
  std::vector<Network> networks = {cluster(2, 1), cluster(6, 1), cluster(1, 8), cluster(4, 4),
                                   cluster(16, 3)};
  networks.push_back(default_network(1, 32));  // ranks that share nothing
  networks.push_back(cluster(4, 2));
  networks.back().groups.push_back({.hosts = 3, .ranks = 5, .up_bytes_per_us = 100});
  networks.back().groups[0].memory_bytes_per_us = 2000;
  networks.back().work.cache_bytes = 500;
  networks.back().work.beyond_cache = 3;
  for (const Network& network : networks) {
    for (const Algorithm& algorithm : algorithms::all())
      expect_kinds_as_the_whole_world(algorithm, network, 64);
  }
  for (const Algorithm& algorithm : algorithms::all())
    expect_kinds_as_the_whole_world(algorithm, cluster(6, 2), 16, 3);
}

TEST(LargeWorlds, KindsAsTheWholeWorldOfAThousand) {
  const int hosts = kSlow ? 64 : 128;
  const auto& trees = *algorithms::find(Collective::kAllReduce, "double_binary_tree");
  const auto& tree = *algorithms::find(Collective::kBroadcast, "tree");
  const auto& up = *algorithms::find(Collective::kReduce, "tree");
  for (const Algorithm* algorithm : {&trees, &tree, &up}) {
    for (const Network& network : {cluster(hosts, 8), cluster(8 * hosts, 1), cluster(hosts - 3, 8),
                                   default_network(1, 8 * hosts), default_network(hosts, 7)})
      expect_kinds_as_the_whole_world(*algorithm, network, 4096);
  }
  const auto simulated =
      expect_kinds_as_the_whole_world(trees, default_network(1, 8 * hosts), 4096);
  EXPECT_LT(simulated, static_cast<std::size_t>(hosts));
}

TEST(LargeWorlds, SamplesAsTheWholeWorld) {
  for (const Network& network : {cluster(6, 1), cluster(1, 8), cluster(4, 4), cluster(16, 3)}) {
    for (const Algorithm& algorithm : algorithms::all())
      expect_sample_as_the_whole_world(algorithm, network);
  }
  const auto& bruck = *algorithms::find(Collective::kAllGather, "bruck");
  expect_sample_as_the_whole_world(bruck, cluster(kSlow ? 16 : 64, 8));
}

TEST(LargeWorlds, FoldedAsTheWholeWorld) {
  const std::vector<Network> networks = {cluster(2, 1), cluster(6, 1), cluster(3, 2),
                                         cluster(1, 8), cluster(4, 4), cluster(16, 3)};
  for (const Network& network : networks) {
    for (const Algorithm& algorithm : algorithms::all()) expect_the_same_folded(algorithm, network);
  }
}

/// Half of the hosts behind each.
Network behind_two_switches(int hosts, int ranks) {
  Network network = cluster(hosts / 2, ranks);
  network.groups.push_back(network.groups[0]);
  network.switches = {{"left", 300, 300}, {"right", 300, 300}};
  network.groups[0].switch_index = 0;
  network.groups[1].switch_index = 1;
  return network;
}

/// Each algorithm whose ranks are turns of each other, in two segments a row, or this run's share
/// of them. How many could be compared.
int compare_all_that_turn(const Network& network, std::uint64_t most_work) {
  const auto share = testing::TestShare::wanted();
  std::size_t turning = 0;
  int compared = 0;
  for (const Algorithm& algorithm : algorithms::all()) {
    if (schedule::has_root(algorithm.collective)) continue;
    const Request request =
        request_of(algorithm, network, static_cast<std::size_t>(network.world()) * 24);
    const auto world = schedule::fuse_folded(builder(algorithm, request));
    if (world.rotation.order() == 1 || !share.has(turning++)) continue;
    const auto table = schedule::ChunkTable::equal(std::size_t{request.rows} * 24, request.rows);
    const bool could =
        expect_the_same_folded(world, table, network, name_of(algorithm, network), most_work);
    compared += could ? 1 : 0;
  }
  return compared;
}

/// Of a share as many as are surely among it.
int least_compared(int of_all) { return testing::TestShare::wanted().is_all() ? of_all : 1; }

TEST(LargeWorlds, FoldedAsTheWholeWorldOfAThousand) {
  EXPECT_GE(compare_all_that_turn(cluster(kSlow ? 16 : 128, 8), 40'000'000), least_compared(19));
}

TEST(LargeWorlds, FoldedAsTheWholeWorldOfAThousandBehindTwoSwitches) {
  // Shares of a switch are those of all ranks: half of the algorithms would take minutes.
  const Network network = behind_two_switches(kSlow ? 16 : 128, 8);
  EXPECT_GE(compare_all_that_turn(network, 12'000'000), least_compared(11));
}

TEST(LargeWorlds, ASwitchIsSharedAsMuchFolded) {
  for (const Algorithm& algorithm : algorithms::all())
    expect_the_same_folded(algorithm, behind_two_switches(8, 2));
}

TEST(LargeWorlds, ARingIsAsManyRanksAsAHostHas) {
  const auto& ring = *algorithms::find(Collective::kAllReduce, "ring");
  const Network network = cluster(16, 4);
  const Request request = request_of(ring, network, 64 * 24);
  const auto world = schedule::fuse_folded(builder(ring, request));
  const auto table = schedule::ChunkTable::equal(64 * 24, request.rows);
  const auto folded = simulate(world, table, network, {});
  ASSERT_TRUE(folded.ok());
  ASSERT_EQ(folded->ranks.size(), 4U);
  EXPECT_EQ(folded->ranks[0].ranks_each, 16);
  // Rows that differ in size are not interchangeable.
  const auto uneven = schedule::ChunkTable::equal(64 * 24 + 1, request.rows);
  EXPECT_EQ(simulate(world, uneven, network, {})->ranks.size(), 64U);
}

/// What is said of worlds whose ranks are too many to be simulated one by one holds of those that
/// are not.
TEST(LargeWorlds, RowsOfTwoSizesAreBounded) {
  for (const Network& network : {cluster(12, 4), default_network(30, 1), default_network(1, 32)}) {
    const auto world_size = static_cast<std::size_t>(network.world());
    for (const Algorithm& algorithm : algorithms::all()) {
      for (const std::size_t more : {std::size_t{1}, world_size / 3, world_size - 1}) {
        expect_within_bounds(algorithm, network, world_size * 64 + more, true);
        expect_within_bounds(algorithm, network, more, true);
      }
    }
  }
  const auto& ring = *algorithms::find(Collective::kAllReduce, "ring");
  expect_within_bounds(ring, default_network(kSlow ? 16 : 128, 8), 64'321, false);
  expect_within_bounds(ring, default_network(16, 8), 100, false);
  // In pieces of three messages: the row that is longer has one more, a longer one, or another
  // piece.
  const Options in_pieces{.segment_bytes = 64, .segments_each = 3};
  for (const std::size_t row : {15U, 16U, 47U, 48U, 70U})
    expect_within_bounds(ring, default_network(16, 8), 128 * row + 5, false, in_pieces);
}

TEST(LargeWorlds, RowsOfTwoSizesOfSixtyFiveThousandRanks) {
  const Network network = default_network(8192, 8);
  const auto& ring = *algorithms::find(Collective::kAllReduce, "ring");
  const Request request = request_of(ring, network, 1000);
  const auto build = builder(ring, request);
  const auto world = schedule::fold_joined_sample(build(0), build);
  ASSERT_TRUE(world.has_value());
  const auto around =
      simulate(*world, schedule::ChunkTable::equal(65'536 * 256 + 1, request.rows), network, {});
  ASSERT_TRUE(around.ok()) << around.status().to_string();
  EXPECT_EQ(around->rows, Prediction::Rows::kBounded);
  EXPECT_EQ(around->ranks.size(), 8U);
  EXPECT_LT(around->least_us, around->us);
  EXPECT_GT(around->least_us, around->us * 0.999);
}

/// Rows that differ by more are not.
TEST(LargeWorlds, RanksThatAllDiffer_AreRefusedBeforeTheyAreBuilt) {
  const Network network = cluster(8192, 8);
  const auto& ring = *algorithms::find(Collective::kAllReduce, "ring");
  const Request request = request_of(ring, network, 1000);
  const auto build = builder(ring, request);
  const auto world = schedule::fold_joined_sample(build(0), build);
  ASSERT_TRUE(world.has_value());
  std::vector<std::size_t> counts(request.rows, 1);
  counts.front() = 3;
  const auto table = schedule::ChunkTable::of_counts(counts);
  ASSERT_TRUE(table.ok());
  const auto refused = simulate(*world, *table, network, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), ErrorCode::kUnsupported);
  EXPECT_NE(refused.status().message().find("million steps to simulate: ranks are alike only where "
                                            "all rows have one size"),
            std::string::npos)
      << refused.status().to_string();
}

/// Of rows of one size; a step that leads from one switch to the other isn't like the others.
TEST(LargeWorlds, RanksOfTwoSwitches_AreRefusedForThem) {
  Network network = cluster(4096, 8);
  network.groups.push_back(network.groups[0]);
  network.switches = {{"left", 300, 300}, {"right", 300, 300}};
  network.groups[0].switch_index = 0;
  network.groups[1].switch_index = 1;
  const auto& ring = *algorithms::find(Collective::kAllReduce, "ring");
  const Request request = request_of(ring, network, 65'536);
  const auto build = builder(ring, request);
  const auto world = schedule::fold_joined_sample(build(0), build);
  ASSERT_TRUE(world.has_value());
  const auto table = schedule::ChunkTable::equal(65'536, request.rows);
  const auto refused = simulate(*world, table, network, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("where hosts or switches differ"), std::string::npos)
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

/// One by one they would take a minute and gigabytes.
TEST(LargeWorlds, DoubleBinaryTreesOfSixtyFiveThousandRanks) {
  const Network network = default_network(kSlow ? 512 : 8192, 8);
  const auto& trees = *algorithms::find(Collective::kAllReduce, "double_binary_tree");
  const std::size_t count = std::size_t{16} << 20U;
  const Request request = request_of(trees, network, count);
  const auto table = schedule::ChunkTable::equal(count, request.rows);
  const Survey survey(builder(trees, request), network.world(), table);
  const auto prediction = simulate(survey, table, network, {});
  ASSERT_TRUE(prediction.ok()) << prediction.status().to_string();
  EXPECT_LT(prediction->ranks.size(), 1000U);
  EXPECT_LT(prediction->events, survey.ops() / (kSlow ? 3 : 10));
}

}  // namespace
}  // namespace rondo::simulate
