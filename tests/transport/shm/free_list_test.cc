#include "transport/shm/free_list.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace rondo::transport {
namespace {

TEST(FreeList, Allocate_small_isAlignedToCacheLines_largeToPages) {
  FreeList list;
  list.grow(0, 1 << 20);
  EXPECT_EQ(list.allocate(1), 0u);
  EXPECT_EQ(list.allocate(65), 64u);
  EXPECT_EQ(list.allocate(64), 192u);
  EXPECT_EQ(list.allocate(4096), 4096u);
  EXPECT_EQ(list.allocate(4097), 8192u);
  EXPECT_EQ(list.allocate(1), 256u) << "the gap before the first page is used";
}

TEST(FreeList, Allocate_moreThanTheLargestGap_yieldsNothing) {
  FreeList list;
  list.grow(0, 8192);
  EXPECT_FALSE(list.allocate(8193));
  EXPECT_EQ(list.allocate(8192), 0u);
  EXPECT_FALSE(list.allocate(1));
}

TEST(FreeList, Abandon_ofAnyByte_keepsTheWholeFromBeingAllocatedAgain) {
  FreeList list;
  list.grow(0, 3 * 4096);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(list.allocate(4096));
  EXPECT_EQ(list.abandon(4096 + 17), 4096u);
  EXPECT_EQ(list.abandon(4096 + 17), 0u);
  for (const unsigned offset : {0U, 8192U}) EXPECT_TRUE(list.free(offset));
  EXPECT_FALSE(list.free(4096));
  EXPECT_EQ(list.abandon(0), 0u) << "nothing is allocated there";
  EXPECT_EQ(list.abandon(3 * 4096), 0u);
  EXPECT_EQ(list.used_bytes(), 4096u);
  EXPECT_EQ(list.allocate(4096), 0u);
  EXPECT_EQ(list.allocate(4096), 8192u);
  EXPECT_FALSE(list.allocate(1));
}

TEST(FreeList, Free_joinsNeighboursInAnyOrder) {
  FreeList list;
  list.grow(0, 3 * 4096);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(list.allocate(4096));
  EXPECT_EQ(list.gap_count(), 0u);
  EXPECT_TRUE(list.free(0));
  EXPECT_TRUE(list.free(8192));
  EXPECT_EQ(list.gap_count(), 2u);
  EXPECT_TRUE(list.free(4096));
  EXPECT_EQ(list.gap_count(), 1u);
  EXPECT_EQ(list.allocate(3 * 4096), 0u);
}

TEST(FreeList, Grow_behindAGap_joinsIt) {
  FreeList list;
  list.grow(0, 4096);
  list.grow(4096, 4096);
  EXPECT_EQ(list.gap_count(), 1u);
  EXPECT_EQ(list.allocate(8192), 0u);
}

TEST(FreeList, Free_ofWhatIsNotAllocated_isRefused) {
  FreeList list;
  list.grow(0, 8192);
  const auto offset = list.allocate(100);
  ASSERT_TRUE(offset);
  EXPECT_FALSE(list.free(*offset + 64));
  EXPECT_TRUE(list.free(*offset));
  EXPECT_FALSE(list.free(*offset));
}

TEST(FreeList, Random_allocationsNeverOverlap_andAllComeBackAsOneGap) {
  FreeList list;
  list.grow(0, 1 << 20);
  std::mt19937 random(7);
  std::map<std::uint64_t, std::size_t> held;
  for (int i = 0; i < 5000; ++i) {
    if (random() % 2 == 0 || held.empty()) {
      const std::size_t bytes = 1 + random() % 20'000;
      const auto offset = list.allocate(bytes);
      if (!offset) continue;
      const auto next = held.lower_bound(*offset);
      if (next != held.end()) {
        ASSERT_LE(*offset + bytes, next->first);
      }
      if (next != held.begin()) {
        ASSERT_LE(std::prev(next)->first + std::prev(next)->second, *offset);
      }
      ASSERT_LE(*offset + bytes, 1u << 20);
      held.emplace(*offset, bytes);
    } else {
      const auto victim = std::next(held.begin(), static_cast<long>(random() % held.size()));
      ASSERT_TRUE(list.free(victim->first));
      held.erase(victim);
    }
  }
  for (const auto& [offset, bytes] : held) ASSERT_TRUE(list.free(offset));
  EXPECT_EQ(list.gap_count(), 1u);
  EXPECT_EQ(list.used_bytes(), 0u);
}

}  // namespace
}  // namespace rondo::transport
