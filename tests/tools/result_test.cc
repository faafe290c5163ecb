#include "tools/rondo/bench/result.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace rondo::tool {
namespace {

/// nccl-tests' doc/PERFORMANCE.md, as figures for 1, 2, 4 and 5 ranks.
struct BusFactors {
  Operation operation;
  double one, two, four, five;
};

const std::array kBusFactors = {
    BusFactors{Collective::kAllReduce, 0, 1, 1.5, 1.6},
    BusFactors{Collective::kAllGather, 0, 0.5, 0.75, 0.8},
    BusFactors{Collective::kReduceScatter, 0, 0.5, 0.75, 0.8},
    BusFactors{Collective::kBroadcast, 1, 1, 1, 1},
    BusFactors{Collective::kReduce, 1, 1, 1, 1},
    BusFactors{Collective::kGather, 0, 0.5, 0.75, 0.8},
    BusFactors{Collective::kScatter, 0, 0.5, 0.75, 0.8},
    BusFactors{Collective::kAllToAll, 0, 0.5, 0.75, 0.8},
    BusFactors{Collective::kBarrier, 1, 1, 1, 1},
    BusFactors{{Collective::kAllGather, Operation::Kind::kUneven}, 0, 0.5, 0.75, 0.8},
    BusFactors{{Collective::kReduceScatter, Operation::Kind::kUneven}, 0, 0.5, 0.75, 0.8},
    BusFactors{{Collective::kGather, Operation::Kind::kUneven}, 0, 0.5, 0.75, 0.8},
    BusFactors{{Collective::kScatter, Operation::Kind::kUneven}, 0, 0.5, 0.75, 0.8},
    BusFactors{{Collective::kAllToAll, Operation::Kind::kUneven}, 0, 0.5, 0.75, 0.8},
    BusFactors{Operation::send_receive(), 1, 1, 1, 1},
};

TEST(BusFactor, EveryCollective_IsThatOfNcclTests) {
  ASSERT_EQ(kBusFactors.size(), all_operations().size());
  for (const BusFactors& row : kBusFactors) {
    EXPECT_DOUBLE_EQ(bus_factor(row.operation, 1), row.one) << to_string(row.operation);
    EXPECT_DOUBLE_EQ(bus_factor(row.operation, 2), row.two) << to_string(row.operation);
    EXPECT_DOUBLE_EQ(bus_factor(row.operation, 4), row.four) << to_string(row.operation);
    EXPECT_DOUBLE_EQ(bus_factor(row.operation, 5), row.five) << to_string(row.operation);
  }
}

TEST(SetTimes, ManyCalls_GivesTheirSpread) {
  BenchResult result;
  set_times(result, {4, 2, 6, 4});
  EXPECT_DOUBLE_EQ(result.least_us, 2);
  EXPECT_DOUBLE_EQ(result.most_us, 6);
  EXPECT_DOUBLE_EQ(result.mean_us, 4);
  EXPECT_DOUBLE_EQ(result.p50_us, 4);
  EXPECT_DOUBLE_EQ(result.p99_us, 6);
  EXPECT_NEAR(result.cv_percent, std::sqrt(2.0) / 4 * 100, 1e-9);
}

TEST(SetTimes, NoTimeAtAll_IsNoDivisionByZero) {
  BenchResult result;
  set_times(result, {});
  EXPECT_EQ(result.p50_us, 0);
  set_times(result, {0, 0});
  EXPECT_EQ(result.cv_percent, 0);
}

TEST(Overlap, Percent_IsOsusDefinition) {
  EXPECT_DOUBLE_EQ((Overlap{10, 10, 20}.percent()), 0) << "one after the other";
  EXPECT_DOUBLE_EQ((Overlap{10, 10, 10}.percent()), 100) << "wholly hidden";
  EXPECT_DOUBLE_EQ((Overlap{8, 10, 12}.percent()), 75);
  EXPECT_DOUBLE_EQ((Overlap{10, 10, 35}.percent()), 0) << "never below none";
  EXPECT_DOUBLE_EQ((Overlap{10, 10, 9}.percent()), 100) << "nor above all";
  EXPECT_DOUBLE_EQ((Overlap{0, 1, 1}.percent()), 0);
}

TEST(BenchResult, Bandwidth_IsBytesPerMedianTime) {
  BenchResult result;
  result.ranks = 2;
  result.bytes = 1'000'000;
  EXPECT_DOUBLE_EQ(result.algbw_gbps(), 0) << "no time measured";
  result.p50_us = 100;
  EXPECT_DOUBLE_EQ(result.algbw_gbps(), 10);
  EXPECT_DOUBLE_EQ(result.busbw_gbps(), 10);
  result.operation = Collective::kAllGather;
  EXPECT_DOUBLE_EQ(result.busbw_gbps(), 5);
}

TEST(Median, IsTheMiddle_OrTheMeanOfTheTwoThere) {
  EXPECT_DOUBLE_EQ(median({}), 0);
  EXPECT_DOUBLE_EQ(median({7}), 7);
  EXPECT_DOUBLE_EQ(median({9, 1}), 5);
  EXPECT_DOUBLE_EQ(median({9, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({9, 1, 2, 4}), 3);
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
