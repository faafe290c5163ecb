#include "transport/endpoint/staging.h"

#include <gtest/gtest.h>

#include <cstring>

namespace rondo::transport {
namespace {

TEST(Staging, SlotsInUse_AreApartAndLargeEnough) {
  Staging staging;
  const std::uint32_t small = *staging.acquire(10);
  const std::uint32_t large = *staging.acquire(100'000);
  std::memset(staging.data(small), 1, 10);
  std::memset(staging.data(large), 2, 100'000);
  EXPECT_EQ(staging.data(small)[9], std::byte{1});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(staging.data(large)) % 64, 0u);
}

TEST(Staging, ReleasedSlots_AreUsedAgainWithoutGrowingTheSmallOnes) {
  Staging staging;
  const std::uint32_t small = *staging.acquire(10);
  const std::uint32_t large = *staging.acquire(100'000);
  const std::byte* large_memory = staging.data(large);
  staging.release(large);
  staging.release(small);  // used last, but too small for what comes
  EXPECT_EQ(*staging.acquire(50'000), large);
  EXPECT_EQ(staging.data(large), large_memory);
  EXPECT_EQ(*staging.acquire(4096), small);
}

TEST(Staging, MoreThanThereIs_IsAnErrorThatSaysHowMuch) {
  Staging staging;
  constexpr std::size_t kTooMany = std::size_t{1} << 62;
  const auto slot = staging.acquire(kTooMany);
  ASSERT_FALSE(slot.ok());
  EXPECT_EQ(slot.status().code(), ErrorCode::kSystem);
  EXPECT_NE(slot.status().message().find(std::to_string(kTooMany)), std::string::npos);
  EXPECT_TRUE(staging.acquire(8).ok());
}

}  // namespace
}  // namespace rondo::transport
