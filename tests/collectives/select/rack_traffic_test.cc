#include "collectives/select/rack_traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "tests/collectives/schedule/two_racks.h"

namespace rondo::select {
namespace {

using schedule::Collective;
using schedule::HostLayout;
using schedule::LinkSpeeds;
using schedule::two_racks;
using ::testing::DoubleEq;
using ::testing::DoubleNear;

TEST(RackTraffic, WhatARackSendsToOthers_SharesTheirLink) {
  const LinkSpeeds links = two_racks(0.25, 4);
  RackTraffic racks(links);
  racks.send(0, 2, 5);
  EXPECT_EQ(racks.volume_of_slowest_link(), 0) << "inside a rack";
  racks.send(0, 1, 1);
  racks.send(2, 3, 2);
  racks.send(1, 0, 2.5);
  EXPECT_THAT(racks.volume_of_slowest_link(), DoubleEq(3));
}

// Four ranks, dealt out in turn, one message after the other.
TEST(RackTraffic, OfSchedules_IsWhatTheirMessagesBring) {
  struct Known {
    Collective collective;
    const char* algorithm;
    double volume;
  };
  const std::vector<Known> all = {
      {Collective::kAllReduce, "ring", 2 * 1.5},        // both ranks send to the other rack only
      {Collective::kAllReduce, "neighbour_ring", 1.5},  // one of the two
      {Collective::kAllReduce, "direct", 2 * 2 * 0.5},
      {Collective::kAllReduce, "recursive_doubling", 2},  // the bit 1 is the rack
      {Collective::kAllReduce, "halving_doubling", 2 * 2 * 0.25},
      {Collective::kAllGather, "direct", 2 * 2 * 0.25},
      {Collective::kAllToAll, "direct", 2 * 2 / 16.0},
      {Collective::kAllToAll, "pairwise", 2 * 2 / 16.0},
      {Collective::kBroadcast, "linear", 2},
      {Collective::kGather, "linear", 2 * 0.25}};
  const HostLayout without(std::vector<int>{0, 1, 2, 3});
  const HostLayout hosts = without.with_links(two_racks(0.25, 4));
  const HostLayout equal = without.with_links(two_racks(1, 4));
  for (const Known& known : all) {
    const auto* algorithm = algorithms::find(known.collective, known.algorithm);
    ASSERT_NE(algorithm, nullptr) << known.algorithm;
    const auto volume = [&](const HostLayout& layout) {
      return volume_between_racks(*algorithm, {.world = 4, .one_host = false, .hosts = &layout},
                                  16 << 20);
    };
    EXPECT_THAT(volume(hosts), DoubleNear(known.volume, 1e-3)) << known.algorithm;
    EXPECT_EQ(volume(without), 0);
    EXPECT_EQ(volume(equal), 0);
  }
}

}  // namespace
}  // namespace rondo::select
