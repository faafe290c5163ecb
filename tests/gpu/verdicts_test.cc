// What is made of measurements: the goals that are met, and by what.

#include "tests/gpu/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>

namespace rondo::gpu {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// 1000 GB/s: 2000 bytes are read and written in 2 ns.
Speeds speeds_with(double of_copy) {
  return read_speeds(R"({"copy": "device to device", "bytes": 1048576, "gb_per_s": 1000.0}
{"kernel": "sum of f32", "sources": 2, "gb_per_s": 990.0, "of_copy": 0.99}
{"kernel": "max of i8", "sources": 8, "gb_per_s": 0, "of_copy": )" +
                     std::to_string(of_copy) + "}\n");
}

/// Calls of 256 MiB of 4 ranks, and shorter ones that don't count.
Table table(const char* way, double us, double in_place_us) {
  const auto row = [](double bytes, double p50_us) {
    return nlohmann::json{{"bytes", bytes}, {"ranks", 4}, {"p50_us", p50_us}};
  };
  const double most = 256 << 20;
  return {way,
          {{"results", {row(1024, 1e6), row(most, us), row(most, in_place_us), row(4096, 1e6)}}}};
}

TEST(Verdicts, OfKernels_AreThoseOfTheSlowest) {
  const Verdict good = judge_kernels(speeds_with(0.86));
  EXPECT_TRUE(good.met());
  EXPECT_EQ(good.of, "max of i8, 8 sources");
  EXPECT_DOUBLE_EQ(good.value, 0.86);
  EXPECT_FALSE(judge_kernels(speeds_with(0.84)).met());
}

/// Four buffers are read, four are written: 2 GiB, which copies move in 2147 us.
TEST(Verdicts, OfThreads_AreThoseOfTheSlowerOfTheLongestCalls) {
  const auto judge = [](double us, double in_place_us) {
    return judge_table(speeds_with(1), "threads", table("by kernels", us, in_place_us),
                       kMostOfThreads);
  };
  const Verdict good = judge(2'700, 1);
  EXPECT_TRUE(good.met());
  EXPECT_EQ(good.of, "by kernels");
  EXPECT_EQ(good.goal, "4 threads, 256 MiB");
  EXPECT_NEAR(good.value, 2'700 / 2'147.48, 1e-3);
  EXPECT_FALSE(judge(1, 2'800).met());
}

TEST(Verdicts, WhatIsOnlyTold_FailsNothing) {
  Verdict processes{.goal = "4 processes, 256 MiB", .of = "by the hosts", .value = 4, .limit = 3};
  EXPECT_FALSE(all_met({processes}));
  EXPECT_THAT(line_of(processes), HasSubstr(" NOT met "));
  processes.judged = false;
  EXPECT_TRUE(all_met({processes}));
  EXPECT_THAT(line_of(processes), StartsWith("4 processes, 256 MiB         told "));
}

TEST(Verdicts, InJson_HaveTheValueTheLimitAndTheOutcome) {
  const Speeds speeds = speeds_with(0.5);
  const nlohmann::json json = json_of(speeds, {judge_kernels(speeds)});
  EXPECT_EQ(json.at("met"), false);
  EXPECT_EQ(json.at("copy_gb_per_s"), 1000.0);
  EXPECT_EQ(json.at("verdicts").at(0).at("value"), 0.5);
  EXPECT_EQ(json.at("verdicts").at(0).at("limit"), kLeastOfCopy);
}

TEST(Verdicts, WhatIsNotThere_Throws) {
  EXPECT_THROW(read_speeds(""), std::exception);
  EXPECT_THROW(read_speeds("not JSON\n"), std::exception);
  const Table empty{"by the hosts", {{"results", nlohmann::json::array()}}};
  EXPECT_THROW(judge_table(speeds_with(1), "threads", empty, 1), std::exception);
}

}  // namespace
}  // namespace rondo::gpu
