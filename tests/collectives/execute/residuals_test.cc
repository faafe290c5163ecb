#include "collectives/execute/host/residuals.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
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

/// Round through all of them, as an optimizer goes through its gradients.
TEST(Residuals, OfMorePairsThanAreKept_TheFirstGoOn) {
  Residuals residuals(100, 1600);
  ASSERT_EQ(residuals.most(), 4U);
  std::array<char, 6> buffers{};
  std::array<float*, 4> kept{};
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i] = residuals.of(&buffers[i], &buffers[i]);
    ASSERT_NE(kept[i], nullptr);
    kept[i][0] = 0.5F + static_cast<float>(i);
  }
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      float* const found = residuals.of(&buffers[i], &buffers[i]);
      EXPECT_EQ(found, i < kept.size() ? kept[i] : nullptr) << i;
    }
  }
  EXPECT_EQ(kept[2][0], 2.5F);
}

TEST(Residuals, OfAPairThatIsntUsedAnyMore_MakeRoom) {
  Residuals residuals(100, 1600);
  std::array<char, 5> buffers{};
  for (std::size_t i = 0; i < 4; ++i) residuals.of(&buffers[i], &buffers[i])[0] = 1;
  const auto use_others = [&] {
    for (std::size_t i = 1; i < 4; ++i) residuals.of(&buffers[i], &buffers[i]);
  };
  int rounds = 0;
  for (; residuals.of(&buffers[4], &buffers[4]) == nullptr && rounds < 1000; ++rounds) use_others();
  EXPECT_GT(rounds, 10) << "not at once";
  EXPECT_LT(rounds, 1000);
  EXPECT_EQ(residuals.of(&buffers[4], &buffers[4])[0], 0);
  EXPECT_EQ(residuals.of(&buffers[2], &buffers[2])[0], 1) << "in use all the time";
  EXPECT_EQ(residuals.of(&buffers[0], &buffers[0]), nullptr);
}

TEST(Residuals, OfAPlanThatRoundsNothing_AreNone) {
  Residuals residuals(0);
  char a = 0;
  EXPECT_EQ(residuals.of(&a, &a), nullptr);
}

TEST(Residuals, OfMuchData_AreFewPairs) {
  EXPECT_EQ(Residuals(1000).most(), 4096U);
  EXPECT_EQ(Residuals(std::size_t{64} << 20).most(), 8U);
  EXPECT_EQ(Residuals(std::size_t{1} << 32).most(), 4U);
}

}  // namespace
}  // namespace rondo::execute
