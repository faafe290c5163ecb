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
