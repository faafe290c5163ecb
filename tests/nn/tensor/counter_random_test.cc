#include "nn/tensor/counter_random.h"

#include <gtest/gtest.h>

#include <set>

namespace rondo::nn {
namespace {

constexpr std::uint64_t kCount = 20'000;

TEST(CounterRandom, NumberDependsOnKeyAndPositionOnly) {
  const CounterRandom random(7, "fc_0.w_0");
  const std::uint64_t late = random.bits(1000);
  EXPECT_EQ(CounterRandom(7, "fc_0.w_0").bits(1000), late);
  EXPECT_NE(CounterRandom(8, "fc_0.w_0").bits(1000), late);
  EXPECT_NE(CounterRandom(7, "fc_0.w_1").bits(1000), late);
}

// Pinned, so that a change of the generator (and of every model trained from a seed) is noticed.
TEST(CounterRandom, FirstNumbersStayWhatTheyWere) {
  const CounterRandom random(90, "fc_0.w_0");
  EXPECT_EQ(random.bits(0), 0x102d4c96c4c62e8cU);
  EXPECT_EQ(random.bits(1), 0x6f7e1ece14962dcaU);
}

TEST(CounterRandom, UniformHasTheMomentsOfUniform) {
  const CounterRandom random(1, "x");
  double sum = 0;
  double squares = 0;
  std::set<double> seen;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double u = random.uniform(i);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
    seen.insert(u);
  }
  // Five standard errors of the two estimates: sqrt(1/12/n) and sqrt(4/45/n).
  EXPECT_NEAR(sum / kCount, 1.0 / 2, 5 * 0.00205);
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * 0.00211);
  EXPECT_EQ(seen.size(), kCount);
}

TEST(CounterRandom, NormalHasMeanZeroAndDeviationOne) {
  const CounterRandom random(1, "x");
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double n = random.normal(i);
    sum += n;
    squares += n * n;
  }
  // Five standard errors: 1/sqrt(n) and sqrt(2/n).
  EXPECT_NEAR(sum / kCount, 0.0, 5 * 0.00708);
  EXPECT_NEAR(squares / kCount, 1.0, 5 * 0.01);
}

}  // namespace
}  // namespace rondo::nn
