// When stores into slots go past the caches, by the times that plain ones take.

#include "transport/ring/slot_stores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/copy_bytes.h"

namespace rondo::transport {
namespace {

constexpr std::size_t kBytes = 64 * 1024;
constexpr double kNsPerTick = 0.5;

/// Of kBytes, where a line takes so long.
Ticks ticks(double ns_per_line) {
  return static_cast<Ticks>(ns_per_line * kBytes / 64 / kNsPerTick);
}

class SlotStoring : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_copy_past_caches()) GTEST_SKIP() << "this processor has no stores past caches";
  }
  bool is_past_caches() const { return stores_.is_past_caches(kBytes); }
  void took(double ns_per_line, std::uint32_t copies = 1) {
    for (std::uint32_t i = 0; i < copies; ++i) stores_.took(kBytes, ticks(ns_per_line));
  }
  /// How many copies go past the caches until plain ones are tried.
  std::uint32_t copies_until_trial() {
    std::uint32_t copies = 0;
    for (; is_past_caches(); ++copies) stores_.went_past_caches(kBytes);
    return copies;
  }

  SlotStores stores_{kNsPerTick};
};

TEST_F(SlotStoring, NearReaders_GetPlainStores) {
  took(6, 1000);
  EXPECT_FALSE(is_past_caches());
}

TEST_F(SlotStoring, ResultsThatWereReadBack_ArePlainlyReplaced) {
  took(12, 1000);
  EXPECT_FALSE(is_past_caches());
}

TEST_F(SlotStoring, FarReaders_GetStoresPastCaches) {
  took(27, SlotStores::kSlowCopies - 1);
  EXPECT_FALSE(is_past_caches()) << "slots may have come from elsewhere so far";
  took(27);
  EXPECT_TRUE(is_past_caches());
  EXPECT_TRUE(stores_.is_past_caches(SlotStores::kLeastPastCaches));
  EXPECT_FALSE(stores_.is_past_caches(SlotStores::kLeastPastCaches - 1));
}

TEST_F(SlotStoring, CopiesThatWereInterrupted_ArentSlow) {
  for (int i = 0; i < 100; ++i) {
    took(1000, SlotStores::kSlowCopies - 1);
    took(2);
  }
  EXPECT_FALSE(is_past_caches());
}

TEST_F(SlotStoring, Trials_GetMoreSeldomInVain) {
  std::uint32_t expected = SlotStores::kShortestPeriod;
  for (int trial = 0; trial < 10; ++trial) {
    took(30, SlotStores::kSlowCopies);
    ASSERT_EQ(copies_until_trial(), expected);
    expected = std::min(2 * expected, SlotStores::kLongestPeriod);
  }
  EXPECT_EQ(expected, SlotStores::kLongestPeriod);
}

TEST_F(SlotStoring, RanksThatAreNearAgain_GetPlainStoresAgain) {
  for (int trial = 0; trial < 3; ++trial) {
    took(30, SlotStores::kSlowCopies);
    copies_until_trial();
  }
  took(3, 1000);
  EXPECT_FALSE(is_past_caches());
  took(30, SlotStores::kSlowCopies);
  EXPECT_EQ(copies_until_trial(), SlotStores::kShortestPeriod) << "what was is forgotten";
}

TEST_F(SlotStoring, ShortCopies_DontBringTrialsNearer) {
  took(30, SlotStores::kSlowCopies);
  for (std::uint32_t i = 0; i < 10 * SlotStores::kLongestPeriod; ++i)
    stores_.went_past_caches(SlotStores::kLeastTimed - 1);
  EXPECT_TRUE(is_past_caches());
}

TEST_F(SlotStoring, EitherWay_TheBytesAreThere) {
  std::vector<std::byte> data(kBytes + 7);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 37 % 251);
  for (const bool is_slow : {false, true}) {
    if (is_slow) took(30, SlotStores::kSlowCopies);
    ASSERT_EQ(is_past_caches(), is_slow);
    for (const std::size_t bytes :
         {std::size_t{1}, SlotStores::kLeastPastCaches, SlotStores::kLeastTimed + 5, kBytes}) {
      std::vector<std::byte> slot(kBytes + 7, std::byte{0xFF});
      stores_.copy(slot.data(), data.data() + 7, bytes);
      EXPECT_TRUE(std::equal(slot.begin(), slot.begin() + static_cast<std::ptrdiff_t>(bytes),
                             data.begin() + 7));
      EXPECT_EQ(slot[bytes], std::byte{0xFF}) << bytes;
    }
  }
}

}  // namespace
}  // namespace rondo::transport
