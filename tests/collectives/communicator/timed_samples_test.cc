#include "collectives/communicator/timed_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace rondo::communicator {
namespace {

using algorithms::Algorithm;
using schedule::Collective;
using select::MeasuredTimes;

const Algorithm& all_reduce(std::string_view name) {
  return *algorithms::find(Collective::kAllReduce, name);
}

/// 0: there is no time.
double us_of(const std::vector<MeasuredTimes>& all, std::string_view algorithm, std::size_t bytes) {
  for (const MeasuredTimes& times : all) {
    if (times.collective != Collective::kAllReduce || times.algorithm != algorithm) continue;
    const auto point = std::ranges::find(times.points, bytes, &MeasuredTimes::Point::bytes);
    if (point != times.points.end()) return point->us;
  }
  return 0;
}

TEST(TimedSamples, AreTheMediansOfAllPasses) {
  TimedSamples samples;
  samples.add(all_reduce("ring"), 1024, 0, {3, 4.5});
  samples.add(all_reduce("ring"), 1024, 1, {4});
  samples.add(all_reduce("ring"), 4096, 0, {16});
  samples.add(all_reduce("direct"), 1024, 0, {5, 5, 5});
  const auto medians = samples.medians();
  EXPECT_EQ(us_of(medians, "ring", 1024), 4);
  EXPECT_EQ(us_of(medians, "ring", 4096), 16);
  EXPECT_EQ(us_of(medians, "direct", 1024), 5);
  EXPECT_DOUBLE_EQ(samples.between(all_reduce("ring"), 2048), 8);
  EXPECT_EQ(samples.typical(all_reduce("ring"), 1024), 4);
  EXPECT_TRUE(std::isinf(samples.typical(all_reduce("ring"), 2048))) << "exactly that size";
  for (const MeasuredTimes& times : samples.medians(MemoryKind::kRegistered))
    EXPECT_EQ(times.memory, MemoryKind::kRegistered) << times.algorithm;
  for (const MeasuredTimes& times : medians) EXPECT_EQ(times.memory, MemoryKind::kOrdinary);
  EXPECT_TRUE(std::isinf(samples.between(all_reduce("direct"), 2048)));
}

/// As once in a tuning on a busy machine: where what was far behind wasn't measured, it would have
/// been taken for the fastest.
TEST(TimedSamples, SizesAtWhichTheMachineDidSomethingElse_AreLeftOut) {
  TimedSamples samples;
  const auto add = [&samples](const char* name, std::size_t bytes, double us) {
    samples.add(all_reduce(name), bytes, 0, {us, us, us});
  };
  for (const char* name : {"ring", "direct"}) {
    add(name, 64, 9);  // nothing lies below it, and it may be so
    add(name, 1024, 1.9);
    add(name, 4096, 19);
    add(name, 8192, 2.3);
    add(name, 16384, 2.0);  // as fast as that is noise
  }
  add("one_shot", 1024, 1.2);
  add("one_shot", 8192, 2.4);
  samples.add(*algorithms::find(Collective::kBroadcast, "tree"), 4096, 0, {7});
  const auto medians = samples.medians();
  EXPECT_EQ(us_of(medians, "ring", 64), 9);
  EXPECT_EQ(us_of(medians, "ring", 1024), 1.9);
  EXPECT_EQ(us_of(medians, "ring", 4096), 0);
  EXPECT_EQ(us_of(medians, "direct", 4096), 0);
  EXPECT_EQ(us_of(medians, "ring", 8192), 2.3);
  EXPECT_EQ(us_of(medians, "ring", 16384), 2.0);
  EXPECT_TRUE(std::ranges::any_of(medians, [](const MeasuredTimes& times) {
    return times.collective == Collective::kBroadcast && times.points.front().us == 7;
  })) << "each collective by itself";
}

/// At 16 KiB the machine was slow, and only what is close was measured there: the tree, which takes
/// twice as long, isn't faster for it.
TEST(TimedSamples, WhatWasNotMeasuredWhileTheMachineWasSlow_IsNotFasterForIt) {
  TimedSamples samples;
  const auto add = [&samples](const char* name, std::size_t bytes, double us) {
    samples.add(all_reduce(name), bytes, 0, {us, us, us});
  };
  add("direct", 8192, 10);
  add("direct", 16384, 24);
  add("direct", 32768, 20);
  add("ring", 8192, 11);
  add("ring", 16384, 27);
  add("ring", 32768, 21);
  add("one_shot", 8192, 9);  // nothing of it lies above
  add("double_binary_tree", 8192, 20);
  add("double_binary_tree", 32768, 40);
  const auto medians = samples.medians();
  const double slowness = 27 / std::sqrt(11.0 * 21.0);  // the upper of two
  EXPECT_NEAR(us_of(medians, "double_binary_tree", 16384), std::sqrt(800.0) * slowness, 1e-9);
  EXPECT_EQ(us_of(medians, "direct", 16384), 24);
  EXPECT_EQ(us_of(medians, "one_shot", 16384), 0);
  EXPECT_EQ(us_of(samples.medians(MemoryKind::kRegistered), "double_binary_tree", 16384), 0)
      << "there only what was measured counts";
}

/// As where a hypervisor moves cores apart, and together again: each size tells of the fast
/// machine, in which of its passes that may have been, and of the algorithms beside each other by
/// medians.
TEST(TimedSamples, ASizeThatWasMeasuredOnASlowMachine_CountsAsIfThatHadBeenFast) {
  TimedSamples samples;
  const auto add = [&samples](std::size_t bytes, std::size_t pass, double slowness) {
    samples.add(all_reduce("direct"), bytes, pass, {10 * slowness, 10 * slowness});
    samples.add(all_reduce("ring"), bytes, pass, {13 * slowness, 13 * slowness});
    samples.add(all_reduce("one_shot"), bytes, pass, {15 * slowness});
  };
  for (std::size_t pass = 0; pass < 4; ++pass) {
    add(64, pass, 1);
    // Fast once: it is slower than a larger size for that alone.
    add(1024, pass, pass == 2 ? 1 : 3);
    add(2048, pass, pass == 0 ? 3 : 1);    // slow once
    add(4096, pass, pass == 0 ? 1 : 1.4);  // what passes differ by anyway
  }
  const auto medians = samples.medians();
  for (std::size_t bytes = 1024; bytes <= 2048; bytes *= 2) {
    EXPECT_NEAR(us_of(medians, "direct", bytes), 10, 1e-9) << bytes;
    EXPECT_NEAR(us_of(medians, "ring", bytes), 13, 1e-9) << bytes;
    EXPECT_NEAR(us_of(medians, "one_shot", bytes), 15, 1e-9) << bytes;
  }
  EXPECT_EQ(us_of(medians, "direct", 4096), 14);
  EXPECT_EQ(samples.typical(all_reduce("direct"), 1024), 30)
      << "who only compares takes it as it was";
}

/// It was left out of three passes of four, in which it was hopeless.
TEST(TimedSamples, WhatWasGoodForOneOfManyPasses_HasNoTimeOfThatSize) {
  TimedSamples samples;
  for (std::size_t pass = 0; pass < 4; ++pass) {
    // Its times are those of two that are one in this world.
    samples.add(all_reduce("ring"), 4096, pass, {40, 41, 40, 41, 40, 41});
    samples.add(all_reduce("one_shot"), 1024, pass, {50, 51});
    if (pass == 1)
      samples.add(all_reduce("one_shot"), 4096, pass, {20, 21, 20, 21, 20, 21, 20, 21});
    if (pass < 2) samples.add(all_reduce("direct"), 4096, pass, {30, 31});
    // Of another collective each has its own passes.
    if (pass == 0) samples.add(*algorithms::find(Collective::kBroadcast, "tree"), 4096, 0, {7});
  }
  const auto medians = samples.medians();
  EXPECT_EQ(us_of(medians, "one_shot", 4096), 0);
  EXPECT_TRUE(std::isinf(samples.between(all_reduce("one_shot"), 2048)));
  EXPECT_EQ(us_of(medians, "one_shot", 1024), 51);
  EXPECT_EQ(us_of(medians, "direct", 4096), 31);
  EXPECT_TRUE(std::ranges::any_of(medians, [](const MeasuredTimes& times) {
    return times.collective == Collective::kBroadcast && times.points.front().us == 7;
  }));
}

}  // namespace
}  // namespace rondo::communicator
