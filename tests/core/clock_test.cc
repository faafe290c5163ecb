#include "core/clock.h"

#include <gtest/gtest.h>

namespace rondo {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(ManualClock, untouched_standsStill) {
  const ManualClock clock;
  EXPECT_EQ(clock.now(), clock.now());
  EXPECT_NE(clock.now(), Instant());
}

TEST(ManualClock, advance_movesByExactlyThat) {
  ManualClock clock;
  const Instant start = clock.now();
  clock.advance(milliseconds(3));
  clock.advance(nanoseconds(5));
  EXPECT_EQ(nanoseconds_between(start, clock.now()), 3'000'005);
  EXPECT_DOUBLE_EQ(microseconds_between(start, clock.now()), 3'000.005);
}

TEST(SystemClock, twoReadings_neverGoBack) {
  const SystemClock clock;
  Instant last = clock.now();
  for (int i = 0; i < 1'000; ++i) {
    const Instant now = clock.now();
    ASSERT_GE(nanoseconds_between(last, now), 0);
    last = now;
  }
}

}  // namespace
}  // namespace rondo
