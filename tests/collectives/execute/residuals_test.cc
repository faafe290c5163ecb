#include "collectives/execute/host/residuals.h"

#include <gtest/gtest.h>

#include <vector>

namespace rondo::execute {
namespace {

TEST(Residuals, PairsOfBuffers_HaveTheirOwnAndBeginAtZero) {
  Residuals residuals(100);
  char a = 0;
  char b = 0;
  float* const first = residuals.of(&a, &b);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(first[i], 0.0F);
  first[99] = 3;
  EXPECT_NE(residuals.of(&b, &a), first);
  EXPECT_NE(residuals.of(&a, &a), first);
  EXPECT_EQ(residuals.of(&a, &b), first);
  EXPECT_EQ(first[99], 3.0F);
}

TEST(Residuals, TooManyPairs_TheOldestBeginsAnew) {
  Residuals residuals(1);
  std::vector<char> buffers(residuals.most() + 1);
  for (const char& buffer : buffers) {
    *residuals.of(&buffer, &buffer) = 7;
    EXPECT_EQ(*residuals.of(&buffers[0], &buffers[0]), 7.0F) << "used again and again";
  }
  EXPECT_EQ(*residuals.of(&buffers[1], &buffers[1]), 0.0F);
}

TEST(Residuals, OfAPlanThatRoundsNothing_AreNone) {
  Residuals residuals(0);
  char a = 0;
  EXPECT_EQ(residuals.of(&a, &a), nullptr);
}

TEST(Residuals, OfMuchData_AreFewPairs) {
  EXPECT_EQ(Residuals(1000).most(), 64U);
  EXPECT_EQ(Residuals(std::size_t{64} << 20).most(), 8U);
  EXPECT_EQ(Residuals(std::size_t{1} << 32).most(), 4U);
}

}  // namespace
}  // namespace rondo::execute
