#include "core/device/emulated/page_allocator.h"

#include <gtest/gtest.h>

#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <random>

namespace rondo::device {
namespace {

constexpr std::size_t kPage = PageAllocator::kPageBytes;

TEST(PageAllocator, bytes_areRoundedUpToWholePages) {
  PageAllocator pages(4 * kPage + 17);
  EXPECT_EQ(pages.largest_gap_bytes(), 4 * kPage);
  EXPECT_EQ(pages.allocate(1), 0U);
  EXPECT_EQ(pages.allocate(kPage + 1), kPage);
  EXPECT_EQ(pages.allocate(kPage), 3 * kPage);
  EXPECT_EQ(pages.largest_gap_bytes(), 0U);
}

TEST(PageAllocator, requestAboveTheLargestGap_givesNothing) {
  PageAllocator pages(2 * kPage);
  EXPECT_FALSE(pages.allocate(2 * kPage + 1).has_value());
  EXPECT_FALSE(pages.allocate(std::numeric_limits<std::size_t>::max()).has_value());
  EXPECT_TRUE(pages.allocate(2 * kPage).has_value());
  EXPECT_FALSE(pages.allocate(1).has_value());
  EXPECT_FALSE(PageAllocator(kPage - 1).allocate(1).has_value());
}

TEST(PageAllocator, freeInAnyOrder_joinsTheGapsAgain) {
  for (const auto& order : {std::array{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    PageAllocator pages(3 * kPage);
    for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(pages.allocate(kPage), i * kPage);
    for (const int page : order) {
      ASSERT_EQ(pages.free(static_cast<std::size_t>(page) * kPage), kPage);
    }
    EXPECT_EQ(pages.largest_gap_bytes(), 3 * kPage);
  }
}

TEST(PageAllocator, freeOfWhatWasNotGiven_isRefused) {
  PageAllocator pages(2 * kPage);
  ASSERT_EQ(pages.allocate(2 * kPage), 0U);
  EXPECT_EQ(pages.free(kPage), 0U);
  EXPECT_EQ(pages.free(0), 2 * kPage);
  EXPECT_EQ(pages.free(0), 0U);
}

TEST(PageAllocator, randomUse_neverOverlapsAndLosesNothing) {
  constexpr std::size_t kPages = 64;
  std::mt19937 random(1);
  PageAllocator pages(kPages * kPage);
  std::map<std::size_t, std::size_t> held;  // offset -> bytes
  for (int step = 0; step < 5'000; ++step) {
    if (random() % 2 == 0) {
      const std::size_t bytes = (1 + random() % 9) * kPage;
      const auto offset = pages.allocate(bytes);
      if (!offset) continue;
      const auto next = held.lower_bound(*offset);
      ASSERT_TRUE(next == held.end() || *offset + bytes <= next->first);
      ASSERT_TRUE(next == held.begin() ||
                  std::prev(next)->first + std::prev(next)->second <= *offset);
      held[*offset] = bytes;
    } else if (!held.empty()) {
      const auto victim = std::next(held.begin(), static_cast<long>(random() % held.size()));
      ASSERT_EQ(pages.free(victim->first), victim->second);
      held.erase(victim);
    }
  }
  for (const auto& [offset, bytes] : held) pages.free(offset);
  EXPECT_EQ(pages.largest_gap_bytes(), kPages * kPage);
}

}  // namespace
}  // namespace rondo::device
