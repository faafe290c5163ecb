#include "tools/rondo/trace/covered_time.h"

#include <gtest/gtest.h>

namespace rondo::tool {
namespace {

TEST(CoveredTime, SpansThatOverlap_CountOnce) {
  const CoveredTime covered({{30, 40}, {0, 10}, {5, 20}, {7, 8}});
  EXPECT_EQ(covered.within_ns(-5, 50), 30);
  EXPECT_EQ(covered.within_ns(0, 20), 20);
  EXPECT_EQ(covered.within_ns(8, 12), 4);
  EXPECT_EQ(covered.within_ns(20, 30), 0);
  EXPECT_EQ(covered.within_ns(15, 35), 10);
  EXPECT_EQ(covered.within_ns(40, 90), 0);
}

TEST(CoveredTime, EmptySpans_CoverNothing) {
  EXPECT_EQ(CoveredTime({}).within_ns(-100, 100), 0);
  EXPECT_EQ(CoveredTime({{7, 7}, {9, 9}}).within_ns(0, 10), 0);
}

TEST(CoveredTime, TimeThatEndsBeforeItBegins_IsNone) {
  EXPECT_EQ(CoveredTime({{0, 10}}).within_ns(8, 3), 0);
}

TEST(CoveredTime, SpansAtTheEndsOfInstants_DontOverflow) {
  constexpr std::int64_t kLatestNs = std::int64_t{1} << 58;
  const CoveredTime covered({{-kLatestNs, -1}, {1, kLatestNs}});
  EXPECT_EQ(covered.within_ns(-8 * kLatestNs, 8 * kLatestNs), 2 * kLatestNs - 2);
}

}  // namespace
}  // namespace rondo::tool
