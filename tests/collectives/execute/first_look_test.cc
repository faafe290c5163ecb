// When a rank looks first at what a peer is about to write.

#include "collectives/execute/host/first_look.h"

#include <gtest/gtest.h>

namespace rondo::execute {
namespace {

constexpr double kNsPerTick = 0.5;
constexpr Ticks kApart = 60;  // 30 ns

void measure(FirstLook& look, Ticks reading, int times) {
  for (int i = 0; i < times; ++i) look.measure(reading);
}

TEST(FirstLook, UnmeasuredItIsWhatRanksInStepAreApart) {
  EXPECT_EQ(FirstLook(kNsPerTick).delay(), kApart);
}

TEST(FirstLook, HalfOfWhatReadingTakesIsAdded) {
  FirstLook look(kNsPerTick);
  measure(look, 270, 8);
  EXPECT_EQ(look.delay(), kApart + 135);
}

TEST(FirstLook, TheShortestOfEightReadingsCounts_SoThatInterruptsDont) {
  FirstLook look(kNsPerTick);
  measure(look, 90'000, 7);
  EXPECT_EQ(look.delay(), kApart) << "before the eighth";
  look.measure(70);
  EXPECT_EQ(look.delay(), kApart + 35);
}

TEST(FirstLook, FollowsCoresThatComeApartAndTogether) {
  FirstLook look(kNsPerTick);
  measure(look, 70, 8);
  measure(look, 270, 8);
  EXPECT_EQ(look.delay(), kApart + 135);
  measure(look, 70, 8);
  EXPECT_EQ(look.delay(), kApart + 35);
}

TEST(FirstLook, IsAtMost300NsAfterwards_WhateverWasMeasured) {
  FirstLook look(kNsPerTick);
  measure(look, ~Ticks{0} - 1, 8);
  EXPECT_EQ(look.delay(), 600U);
}

TEST(FirstLook, WaitsUntilThen_FromWhenItsOwnMessageWentOut) {
  FirstLook look(ns_per_tick());
  measure(look, static_cast<Ticks>(500 / ns_per_tick()), 8);
  look.saw(false);
  for (int i = 0; i < 100; ++i) {
    const Ticks before = ticks_now();
    look.sent();
    look.wait();
    EXPECT_GE(ordered_ticks() - before, look.delay());
  }
}

/// Calls, each of whose messages is there at the first look, until one looks at once.
std::uint32_t calls_to_trial(FirstLook& look) {
  std::uint32_t calls = 0;
  for (; !look.is_at_once() && calls < 1000; ++calls) look.saw(true);
  return calls;
}

TEST(FirstLook, IsAtOnce_AsLongAsThatIsEarlyEnough) {
  FirstLook look(kNsPerTick);
  for (int call = 0; call < 1000; ++call) {
    EXPECT_TRUE(look.is_at_once());
    look.saw(true);
  }
  look.saw(false);
  EXPECT_FALSE(look.is_at_once());
}

TEST(FirstLook, TrialsThatFailBecomeRare_OneThatSucceedsLasts) {
  FirstLook look(kNsPerTick);
  for (const std::uint32_t period : {32U, 64U, 128U, 128U}) {
    look.saw(false);
    EXPECT_EQ(calls_to_trial(look), period);
  }
  look.saw(true);
  EXPECT_TRUE(look.is_at_once());
  look.saw(false);
  EXPECT_EQ(calls_to_trial(look), 32U);
}

}  // namespace
}  // namespace rondo::execute
