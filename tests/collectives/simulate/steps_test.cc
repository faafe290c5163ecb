// Prediction::steps: what a run would take where a message takes one unit of time and nothing else
// takes any, found beside the times of a network where everything takes some.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fuse.h"
#include "collectives/simulate/simulate.h"

namespace rondo::simulate {
namespace {

using schedule::BufferRole;
using schedule::Builder;
using schedule::Collective;
using schedule::FoldedWorld;
using schedule::Rank;
using schedule::Request;
using schedule::Slice;

constexpr Options kSegments{.segment_bytes = 64};

/// Messages alone, in whole rows.
std::uint64_t counted(const FoldedWorld& world, const schedule::ChunkTable& table) {
  Network network;
  network.groups = {HostGroup{.ranks = world.rotation.world()}};
  network.inside.costs = {MessageCost{.latency_us = 1}};
  const auto prediction =
      simulate(world, table, network, {.segment_bytes = std::size_t{1} << 40U, .fold = false});
  EXPECT_TRUE(prediction.ok()) << prediction.status().to_string();
  return static_cast<std::uint64_t>(std::llround(prediction->us));
}

void expect_steps_as_counted(const algorithms::Algorithm& algorithm, const Network& network) {
  const std::size_t count = static_cast<std::size_t>(network.world()) * 40 + 3;
  Request request{.collective = algorithm.collective, .world = network.world()};
  request.layout = layout_of(network);
  request.rows = algorithm.rows(request, count);
  const auto world = schedule::fuse_folded([&, own = request](Rank rank) mutable {
    own.rank = rank;
    return algorithm.build(own);
  });
  const auto table = schedule::ChunkTable::equal(count, request.rows);
  const auto prediction = simulate(world, table, network, kSegments);
  ASSERT_TRUE(prediction.ok()) << prediction.status().to_string();
  EXPECT_EQ(prediction->steps, counted(world, table))
      << algorithm.name << " of " << to_string(algorithm.collective) << ", " << network.world()
      << " ranks";
}

TEST(Steps, AreWhatMessagesAloneWouldTake) {
  Network shared = default_network(3, 3);
  shared.groups[0].cores = 2;
  shared.groups.push_back({.hosts = 1, .ranks = 2, .up_bytes_per_us = 10});
  for (const Network& network :
       {default_network(1, 1), default_network(1, 7), default_network(5, 2), shared}) {
    for (const algorithms::Algorithm& algorithm : algorithms::all())
      expect_steps_as_counted(algorithm, network);
  }
}

constexpr Slice kIn{BufferRole::kInput, 0};
constexpr Slice kOut{BufferRole::kOutput, 0};

Builder rank_of_four(Rank rank) {
  return Builder({.collective = Collective::kAllReduce, .world = 4, .rank = rank});
}

/// Rank 0 sends rank 1 a message at once; rank 1 reads it after many of rank 2's, which waits for
/// rank 3's. Another lane of rank 0 waits for that before its own message. Long before, though
/// after as many steps, rank 0's first lane has gone on: that isn't waited for.
FoldedWorld waiting_world() {
  std::vector<schedule::FusedSchedule> ranks;
  Builder waits = rank_of_four(0);
  waits.send(1, kIn);
  waits.recv(3, kOut);
  waits.wait(0, 0, 1);
  waits.wait(1, 0, 2);
  waits.send(2, kIn, 2);
  Builder reads_late = rank_of_four(1);
  for (int i = 0; i < 20; ++i) reads_late.recv(2, kOut);
  reads_late.recv(0, kOut);
  reads_late.recv(2, kOut, 2);
  Builder passes_on = rank_of_four(2);
  passes_on.recv(3, kOut);
  passes_on.send(3, kOut);
  for (int i = 0; i < 20; ++i) passes_on.send(1, kOut);
  passes_on.recv(0, kOut, 2);
  passes_on.send(1, kOut, 2);  // what the wait was for
  Builder begins = rank_of_four(3);
  begins.send(2, kIn);
  begins.recv(2, kOut);
  begins.send(0, kOut);
  for (Builder* builder : {&waits, &reads_late, &passes_on, &begins})
    ranks.push_back(lower(std::move(*builder).finish()));
  return {schedule::Rotation::none(4), std::move(ranks)};
}

TEST(Steps, AWaitIsForThoseWhoRead) {
  const FoldedWorld world = waiting_world();
  const auto table = schedule::ChunkTable::equal(100, 1);
  EXPECT_EQ(counted(world, table), 4U);
  for (const Network& network : {default_network(1, 4), default_network(4, 1)}) {
    const auto prediction = simulate(world, table, network, kSegments);
    ASSERT_TRUE(prediction.ok()) << prediction.status().to_string();
    EXPECT_EQ(prediction->steps, 4U);
  }
}

}  // namespace
}  // namespace rondo::simulate
