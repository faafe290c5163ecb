// Whether a place has a core to itself while it waits.

#include "collectives/communicator/place.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tests/collectives/communicator/acted_peers.h"

namespace rondo::communicator {
namespace {

using transport::RankInfo;

/// Whether rank 0 of these has one.
bool has_spare_core(const std::vector<RankInfo>& ranks, std::optional<double> cpu_quota) {
  auto acted = std::make_unique<rondo::testing::ActedTransport>(static_cast<int>(ranks.size()));
  const auto place = Place::make(rondo::testing::acted_mesh(std::move(acted), ranks), {},
                                 Device::host(), cpu_quota);
  return place.value()->waiter().has_spare_core();
}

TEST(SpareCore, OfTwoRanksOnTwoCores_TakesAQuotaOfTwo) {
  const RankInfo rank{.host_identity = "a", .cores = {0, 1}};
  EXPECT_TRUE(has_spare_core({rank, rank}, std::nullopt));
  EXPECT_TRUE(has_spare_core({rank, rank}, 2.0));
  EXPECT_FALSE(has_spare_core({rank, rank}, 1.9));
  EXPECT_FALSE(has_spare_core({rank, rank}, 1.0));
}

TEST(SpareCore, OfARankOfAnotherHost_TakesNothingOfTheQuota) {
  const RankInfo here{.host_identity = "a", .cores = {0, 1}};
  const RankInfo there{.host_identity = "b", .cores = {0, 1}};
  EXPECT_TRUE(has_spare_core({here, there}, 1.0));
}

TEST(SpareCore, OfContainersOfOneMachine_IsShared) {
  const RankInfo here{.host_identity = "a/1", .cores = {0}};
  const RankInfo there{.host_identity = "a/2", .cores = {0}};
  EXPECT_FALSE(has_spare_core({here, there}, std::nullopt));
}

}  // namespace
}  // namespace rondo::communicator
