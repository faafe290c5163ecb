#include "collectives/select/host_traffic.h"

#include <gtest/gtest.h>

#include <vector>

namespace rondo::select {
namespace {

using schedule::HostLayout;

const HostLayout kBlocks(std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1});
const HostLayout kDealtOut(std::vector<int>{0, 1, 0, 1, 0, 1, 0, 1});
const HostLayout kUnequal(std::vector<int>{0, 1, 1, 1, 2, 2});
const HostLayout kOneHost(std::vector<int>{0, 0, 0});

TEST(HostTraffic, Ring_CrossesWhereTheOrderDoes) {
  const std::vector<schedule::Rank> by_rank{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(streams_between_hosts(kBlocks, by_rank), 1);
  EXPECT_EQ(streams_between_hosts(kDealtOut, by_rank), 4);
  EXPECT_EQ(streams_between_hosts(kDealtOut, kDealtOut.order()), 1);
}

TEST(HostTraffic, FarHopsAreAllRanks_NearOnesStayInsideOrLeadOverTheEdge) {
  EXPECT_EQ(streams_at_distance(kBlocks, 1), 1) << "none, but no link is better than a link";
  EXPECT_EQ(streams_at_distance(kBlocks, 2), 1) << "likewise";
  EXPECT_EQ(streams_at_distance(kBlocks, 4), 4);
  EXPECT_EQ(streams_at_distance(kDealtOut, 1), 4);
  EXPECT_EQ(streams_at_distance(kDealtOut, 2), 1) << "likewise";
  EXPECT_EQ(streams_at_distance(kUnequal, 1), 1);
  EXPECT_EQ(streams_at_distance(kUnequal, 2), 2);
}

TEST(HostTraffic, Tree_CrossesAsItsEdgesDo) {
  EXPECT_EQ(tree_messages_between_hosts(kBlocks), 1) << "0 to 4";
  EXPECT_EQ(tree_messages_between_hosts(kDealtOut), 4) << "0 to 1, 2 to 3, 4 to 5, 6 to 7";
  EXPECT_EQ(tree_messages_between_hosts(kUnequal), 3) << "0 to 1, 2 and 4";
  EXPECT_EQ(tree_messages_between_hosts(kOneHost), 1) << "as above";
}

TEST(HostTraffic, LeastRanks_OfTheSmallestHost) {
  EXPECT_EQ(least_ranks(kUnequal), 1);
  EXPECT_EQ(least_ranks(kBlocks), 4);
}

}  // namespace
}  // namespace rondo::select
