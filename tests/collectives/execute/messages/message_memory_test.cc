#include "collectives/execute/messages/message_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace rondo::execute {
namespace {

using Block = MessageMemory::Block;

constexpr std::size_t kMost = std::size_t{1} << 20;
constexpr std::size_t kLargest = MessageMemory::kLargestBytes;

std::vector<Block> take(MessageMemory& memory, std::size_t blocks, std::size_t bytes) {
  std::vector<Block> taken;
  for (std::size_t i = 0; i < blocks; ++i) {
    auto block = memory.take(bytes);
    EXPECT_TRUE(block.ok()) << block.status().to_string();
    if (block.ok()) taken.push_back(std::move(block).value());
  }
  return taken;
}

void give_back(MessageMemory& memory, std::vector<Block> blocks, std::size_t bytes) {
  for (Block& block : blocks) memory.give_back(std::move(block), bytes);
}

TEST(MessageMemory, BlockOfAnySize_HoldsItsBytesAndLessThanTwiceAsMany) {
  constexpr std::size_t kSizes[] = {64, 65, 1000, 1024, 1025, 33'000, 65'535, 65'536};
  for (const std::size_t bytes : kSizes) {
    MessageMemory memory(kMost);
    const auto blocks = take(memory, 1, bytes);
    std::fill_n(blocks.at(0).get(), bytes, std::byte{7});
    EXPECT_GE(memory.held_bytes(), bytes);
    EXPECT_LT(memory.held_bytes(), 2 * bytes);
  }
}

TEST(MessageMemory, NoBytes_AreNoBlock) {
  MessageMemory memory(kMost);
  EXPECT_EQ(take(memory, 1, 0).at(0), nullptr);
  give_back(memory, {nullptr}, 0);
  EXPECT_EQ(memory.held_bytes(), 0U);
}

TEST(MessageMemory, WhatWasGivenBack_IsTakenByTheNextOfItsSize) {
  MessageMemory memory(kMost);
  auto blocks = take(memory, 2, 1000);
  const std::byte* const second = blocks.at(1).get();
  give_back(memory, std::move(blocks), 1000);
  const std::size_t held = memory.held_bytes();
  EXPECT_EQ(take(memory, 1, 900).at(0).get(), second);
  EXPECT_EQ(memory.held_bytes(), held);
}

TEST(MessageMemory, OtherSizes_TakeThePlaceOfWhatIsKept) {
  MessageMemory memory(kMost);
  for (const std::size_t bytes : {kLargest, std::size_t{100}, std::size_t{5000}, kLargest}) {
    give_back(memory, take(memory, kMost / kLargest, bytes), bytes);
    EXPECT_LE(memory.held_bytes(), kMost);
  }
}

TEST(MessageMemory, MoreInUseThanIsHeldAtMost_ShrinksWhenOthersAreTaken) {
  MessageMemory memory(kMost);
  give_back(memory, take(memory, 2 * kMost / kLargest, kLargest), kLargest);
  EXPECT_EQ(memory.held_bytes(), 2 * kMost);
  const auto other = take(memory, 1, 100);
  EXPECT_LE(memory.held_bytes(), kMost);
}

}  // namespace
}  // namespace rondo::execute
