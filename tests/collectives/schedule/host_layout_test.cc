#include "collectives/schedule/host_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::schedule {
namespace {

using ::testing::ElementsAre;

TEST(HostLayout, Hosts_AreNumberedByTheirLowestRank) {
  const HostLayout layout(std::vector<int>{7, 3, 7, 9, 3});
  EXPECT_EQ(layout.world(), 5);
  EXPECT_EQ(layout.hosts(), 3);
  EXPECT_EQ(layout.host_of(2), 0);
  EXPECT_EQ(layout.host_of(3), 2);
  EXPECT_THAT(layout.ranks_of(1), ElementsAre(1, 4));
  EXPECT_EQ(layout.most_ranks(), 2);
  EXPECT_EQ(layout, HostLayout(std::vector<int>{0, 1, 0, 2, 1}));
}

TEST(HostLayout, Order_GoesHostByHostUnlessGiven) {
  const HostLayout layout(std::vector<int>{0, 1, 0, 1});
  EXPECT_THAT(layout.order(), ElementsAre(0, 2, 1, 3));
  EXPECT_EQ(layout.place_in_order(1), 2);
  const HostLayout other = layout.with_order({3, 0, 2, 1});
  EXPECT_THAT(other.order(), ElementsAre(3, 0, 2, 1));
  EXPECT_EQ(other.place_in_order(3), 0);
  EXPECT_NE(other, layout);
}

TEST(HostLayout, OneHost_HasAllRanks) {
  const HostLayout layout = HostLayout::one_host(3);
  EXPECT_EQ(layout.hosts(), 1);
  EXPECT_THAT(layout.ranks_of(0), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace rondo::schedule
