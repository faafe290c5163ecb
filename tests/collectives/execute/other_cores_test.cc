// Whom a rank waits for without giving its core away.

#include "collectives/execute/host/other_cores.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rondo::execute {
namespace {

constexpr double kNsPerTick = 0.5;

/// How many looks it takes until there is a trial with the peer.
int looks_until_trial(OtherCores& others, std::size_t peer) {
  int looks = 1;
  while (!others.is_worth_waiting_for(peer)) ++looks;
  return looks;
}

TEST(OtherCores, AreNotWaitedForLongerThanATurn) {
  EXPECT_EQ(OtherCores(3, kNsPerTick).patience(), 2000U);
}

TEST(OtherCores, AtFirstNobodyIsThere_ButForTrials) {
  OtherCores others(3, kNsPerTick);
  for (std::size_t peer = 0; peer < 3; ++peer) {
    EXPECT_EQ(others.at(peer), peer);
    EXPECT_EQ(looks_until_trial(others, peer), OtherCores::kShortestPeriod);
  }
}

TEST(OtherCores, TrialsInVainBecomeRare) {
  OtherCores others(1, kNsPerTick);
  int expected = OtherCores::kShortestPeriod;
  for (int trial = 0; trial < 10; ++trial) {
    EXPECT_EQ(looks_until_trial(others, 0), expected);
    others.waited_for(0, false);
    expected = std::min(2 * expected, static_cast<int>(OtherCores::kLongestPeriod));
  }
  EXPECT_EQ(expected, static_cast<int>(OtherCores::kLongestPeriod));
}

TEST(OtherCores, WhoComesWhileWaitedFor_IsWaitedForAgain_AndLookedAtLast) {
  OtherCores others(3, kNsPerTick);
  others.waited_for(0, true);
  EXPECT_TRUE(others.is_worth_waiting_for(0));
  EXPECT_FALSE(others.is_worth_waiting_for(1));
  EXPECT_EQ(others.at(0), 0U) << "in the middle of a call nobody changes places";
  others.call_begins();
  EXPECT_EQ(others.at(0), 1U);
  EXPECT_EQ(others.at(1), 2U);
  EXPECT_EQ(others.at(2), 0U);
}

TEST(OtherCores, WhoIsWaitedForInVainAgainAndAgain_SharesThisCore) {
  OtherCores others(2, kNsPerTick);
  others.waited_for(0, true);
  for (int wait = 0; wait < OtherCores::kWaitsInVain; ++wait) {
    EXPECT_TRUE(others.is_worth_waiting_for(0)) << wait;
    others.waited_for(0, false);
  }
  EXPECT_FALSE(others.is_worth_waiting_for(0));
  others.call_begins();
  EXPECT_EQ(others.at(0), 0U);
}

TEST(OtherCores, OneThatComes_MakesUpForAllThatWereInVain) {
  OtherCores others(1, kNsPerTick);
  others.waited_for(0, true);
  for (int round = 0; round < 100; ++round) {
    for (int wait = 1; wait < OtherCores::kWaitsInVain; ++wait) others.waited_for(0, false);
    others.waited_for(0, true);
  }
  EXPECT_TRUE(others.is_worth_waiting_for(0));
}

}  // namespace
}  // namespace rondo::execute
