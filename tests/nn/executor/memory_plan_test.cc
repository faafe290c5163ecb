#include "nn/executor/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "nn/tensor/counter_random.h"

namespace rondo::nn {
namespace {

TEST(AssignBuffers, OneAfterTheOther_Share) {
  const auto buffers = assign_buffers({{0, 1, 8, true}, {1, 2, 8, true}, {2, 3, 8, true}});
  EXPECT_NE(buffers[0], buffers[1]);
  EXPECT_EQ(buffers[0], buffers[2]);
}

TEST(AssignBuffers, BatchedAndFixed_NeverShare) {
  const auto buffers = assign_buffers({{0, 0, 8, true}, {1, 1, 8, false}});
  EXPECT_NE(buffers[0], buffers[1]);
}

TEST(AssignBuffers, OfTwoFreeOnes_TheNearestInSizeIsTaken) {
  const auto buffers = assign_buffers({{0, 0, 1000, true}, {0, 0, 8, true}, {1, 1, 10, true}});
  EXPECT_EQ(buffers[2], buffers[1]);
}

TEST(AssignBuffers, TwoAliveAtOnce_NeverShare) {
  const CounterRandom random(5, "lifetimes");
  std::vector<Lifetime> lifetimes;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::size_t first = random.bits(4 * i) % 100;
    lifetimes.push_back({first, first + random.bits(4 * i + 1) % 9, random.bits(4 * i + 2) % 64,
                         random.bits(4 * i + 3) % 2 == 0});
  }
  const auto buffers = assign_buffers(lifetimes);
  for (std::size_t a = 0; a < lifetimes.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const bool overlap =
          lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
      ASSERT_FALSE(overlap && buffers[a] == buffers[b]) << a << " and " << b;
    }
  }
}

TEST(SizeClass, HoldsTheNeedAndWastesAtMostAQuarter) {
  for (std::size_t bytes = 0; bytes < 5000; ++bytes) {
    const std::size_t size = size_class(bytes);
    ASSERT_GE(size, bytes);
    ASSERT_LE(size * 4, std::max<std::size_t>(bytes, 64) * 5) << bytes;
  }
}

}  // namespace
}  // namespace rondo::nn
