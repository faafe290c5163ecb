// What a tuning says of hosts, of ranks that the test acts.

#include "collectives/communicator/tuning_fit.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/collectives/communicator/acted_peers.h"

namespace rondo::communicator {
namespace {

using transport::RankInfo;

/// Rank 0's.
std::unique_ptr<Place> place_among(const std::vector<RankInfo>& ranks) {
  auto acted = std::make_unique<rondo::testing::ActedTransport>(static_cast<int>(ranks.size()));
  return Place::make(rondo::testing::acted_mesh(std::move(acted), ranks), {}, Device::host(),
                     std::nullopt)
      .value();
}

TEST(TuningFit, RanksThatAreBound_HaveAllTheirCores) {
  std::vector<RankInfo> ranks;
  for (int rank = 0; rank < 8; ++rank)
    ranks.push_back({.process = rank, .host_identity = "a", .cores = {rank}});
  for (int rank = 8; rank < 10; ++rank)
    ranks.push_back({.process = rank, .host_identity = "b", .cores = {0, 1, 2}});
  const simulate::Network network = first_guess(*place_among(ranks));
  ASSERT_EQ(network.groups.size(), 2U);
  EXPECT_EQ(network.groups[0].ranks, 8);
  EXPECT_EQ(network.groups[0].cores, 8) << "a core for each, not the first one's for all";
  EXPECT_EQ(network.groups[1].ranks, 2);
  EXPECT_EQ(network.groups[1].cores, 3);
}

TEST(TuningFit, Transport_IsThatOfAllPairs_NotRank0s) {
  const std::vector<RankInfo> ranks = {{.process = 0, .host_identity = "a", .cores = {0}},
                                       {.process = 1, .host_identity = "b", .cores = {0}},
                                       {.process = 2, .host_identity = "b", .cores = {0}}};
  EXPECT_EQ(tuning_of(*place_among(ranks), {}).transport, "mixed");
}

}  // namespace
}  // namespace rondo::communicator
