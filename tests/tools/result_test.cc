#include "tools/rondo/bench/result.h"

#include <gtest/gtest.h>

namespace rondo::tool {
namespace {

TEST(BusFactor, EveryCollective_FollowsItsDefinition) {
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllReduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllGather, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kReduceScatter, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kBroadcast, 4), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllReduce, 1), 0);
}

TEST(BenchResult, Bandwidth_IsBytesPerMedianTime) {
  BenchResult result;
  result.ranks = 2;
  result.bytes = 1'000'000;
  EXPECT_DOUBLE_EQ(result.algbw_gbps(), 0) << "no time measured";
  result.p50_us = 100;
  EXPECT_DOUBLE_EQ(result.algbw_gbps(), 10);
  EXPECT_DOUBLE_EQ(result.busbw_gbps(), 10);
  result.collective = Collective::kAllGather;
  EXPECT_DOUBLE_EQ(result.busbw_gbps(), 5);
}

TEST(Percentile, NearestRank_IsASample) {
  EXPECT_DOUBLE_EQ(percentile({}, 0.5), 0);
  EXPECT_DOUBLE_EQ(percentile({3}, 0.99), 3);
  EXPECT_DOUBLE_EQ(percentile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_DOUBLE_EQ(percentile({5, 1, 3, 2, 4}, 0.5), 3);
  EXPECT_DOUBLE_EQ(percentile({4, 1, 3, 2}, 0.99), 4);
  EXPECT_DOUBLE_EQ(percentile({4, 1, 3, 2}, 0), 1);
}

}  // namespace
}  // namespace rondo::tool
