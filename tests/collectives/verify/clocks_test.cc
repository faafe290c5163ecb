#include "collectives/verify/clocks.h"

#include <gtest/gtest.h>

namespace rondo::verify {
namespace {

TEST(Clocks, Join_LearnsWhatTheSnapshotKnewAndNoMore) {
  Clocks clocks(20);
  clocks.advance(3, sweep_event(3, 0));
  const auto snapshot = clocks.take(3, 2);
  clocks.advance(3, sweep_event(3, 1));
  clocks.join(17, snapshot);
  EXPECT_TRUE(clocks.knows(17, sweep_event(3, 0)));
  EXPECT_FALSE(clocks.knows(17, sweep_event(3, 1)));
  EXPECT_FALSE(clocks.knows(4, sweep_event(3, 0)));
}

TEST(Clocks, Release_GivesTheSnapshotBackAfterItsLastOwner) {
  Clocks clocks(2);
  const auto first = clocks.take(0, 2);
  clocks.release(first);
  EXPECT_NE(clocks.take(1, 1), first);
  clocks.release(first);
  EXPECT_EQ(clocks.take(1, 1), first);
}

TEST(Clocks, Take_TellsSnapshotsOfALaneThatLearntNothingApart) {
  Clocks clocks(20);
  clocks.advance(3, sweep_event(3, 0));
  const auto first = clocks.take(3, 1);
  clocks.advance(3, sweep_event(3, 1));
  const auto second = clocks.take(3, 1);
  clocks.join(17, second);
  EXPECT_TRUE(clocks.knows(17, sweep_event(3, 1)));
  clocks.join(18, first);
  EXPECT_TRUE(clocks.knows(18, sweep_event(3, 0)));
  EXPECT_FALSE(clocks.knows(18, sweep_event(3, 1)));
}

TEST(Clocks, Take_KnowsWhatTheLaneHasLearntSinceTheLast) {
  Clocks clocks(20);
  clocks.advance(3, sweep_event(3, 0));
  const auto first = clocks.take(3, 1);
  clocks.advance(5, sweep_event(5, 7));
  clocks.join(3, clocks.take(5, 1));
  clocks.join(17, clocks.take(3, 1));
  EXPECT_TRUE(clocks.knows(17, sweep_event(5, 7)));
  clocks.join(18, first);
  EXPECT_FALSE(clocks.knows(18, sweep_event(5, 7)));
}

TEST(Clocks, Join_TurnsAlsoWhatOnlyTheTakerKnew) {
  constexpr int kOrder = 4;
  Clocks clocks(1, kOrder);
  clocks.advance(0, sweep_event(0, 0));
  clocks.release(clocks.take(0, 1));
  clocks.advance(0, sweep_event(0, 1));
  const auto snapshot = clocks.take(0, 1);
  clocks.join(0, snapshot, -1);
  EXPECT_TRUE(clocks.knows(0, sweep_event(3, 1)));
  EXPECT_FALSE(clocks.knows(0, sweep_event(1, 0)));
}

TEST(Clocks, Extend_LeavesOtherSnapshotsOfTheSameBase) {
  Clocks clocks(3);
  const auto left = clocks.take(0, 1);
  const auto extended = clocks.take(0, 1);
  clocks.advance(1, sweep_event(1, 4));
  clocks.extend(extended, 1);
  clocks.join(2, left);
  EXPECT_FALSE(clocks.knows(2, sweep_event(1, 4)));
}

TEST(Clocks, Extend_AddsToASnapshot) {
  Clocks clocks(3);
  const auto snapshot = clocks.take(0, 1);
  clocks.advance(1, sweep_event(1, 4));
  clocks.extend(snapshot, 1);
  clocks.join(2, snapshot);
  EXPECT_TRUE(clocks.knows(2, sweep_event(1, 4)));
}

}  // namespace
}  // namespace rondo::verify
