// Bytes that a peer replaces in the slot where it got them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/transport/ring/ring_pair.h"
#include "transport/ring/ring_endpoint.h"

namespace rondo::transport {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::size_t kBytes = 200;  // one slot, not full
constexpr std::size_t kOffset = 72;
constexpr std::byte kUntouched{0x55};

const Call kCall{.sequence = 5, .fingerprint = {.collective = 1, .count = 77}};

class SlotsWrittenBack : public ::testing::Test {
 protected:
  explicit SlotsWrittenBack(std::size_t slot_bytes = RingPair::kSlotBytes) : pair_(slot_bytes) {
    pair_.endpoint(0).begin(kCall, {std::span(output_), {}});
    pair_.endpoint(1).begin(kCall, {});
    for (std::size_t i = 0; i < source_.size(); ++i)
      source_[i] = static_cast<std::byte>(i * 11 / 3);
  }

  Token post(int rank, const Transfer& transfer) {
    return *pair_.endpoint(rank).post(std::span(&transfer, 1));
  }
  /// A message of rank 0, as rank 1 views it.
  Token viewed(std::byte* data, std::size_t bytes) {
    post(0, {.kind = TransferKind::kSend, .data = data, .bytes = bytes});
    const Token token = post(1, {.kind = TransferKind::kRecvView, .bytes = bytes});
    EXPECT_TRUE(*pair_.endpoint(1).poll(token));
    return token;
  }
  void replace(Token token, std::size_t offset, int value) {
    std::byte* const slot = pair_.endpoint(1).write_back(token, StoreRegion::kOutput, offset);
    ASSERT_NE(slot, nullptr);
    EXPECT_EQ(slot, pair_.endpoint(1).view(token));
    std::memset(slot, value, kBytes);
    pair_.endpoint(1).release(token);
  }
  /// Rank 1 says that the bytes are in rank 0's memory.
  Result<bool> stored() {
    post(1, {.kind = TransferKind::kStored, .bytes = kBytes});
    const Transfer transfer{.kind = TransferKind::kRecv, .data = output_.data(), .bytes = kBytes};
    auto token = pair_.endpoint(0).post(std::span(&transfer, 1));
    if (!token.ok()) return std::move(token).status();
    return pair_.endpoint(0).poll(*token);
  }
  std::span<std::byte> written(std::size_t offset) {
    return std::span(output_).subspan(offset, kBytes);
  }

  static constexpr std::size_t kOutputBytes = 4096;

  RingPair pair_;
  std::vector<std::byte> source_ = std::vector<std::byte>(kOutputBytes);
  std::vector<std::byte> output_ = std::vector<std::byte>(kOutputBytes, kUntouched);
};

class LongSlotsWrittenBack : public SlotsWrittenBack {
 protected:
  LongSlotsWrittenBack() : SlotsWrittenBack(kOutputBytes) {}
  Ticks copying_since(int rank) { return pair_.endpoint(rank).copying_since(0); }
};

/// So that whoever waits for them knows when they had come.
TEST_F(LongSlotsWrittenBack, TellWhenTheyAreCopied_NotWhenTheyWereSent) {
  const Token token = viewed(source_.data(), kOutputBytes);
  pair_.endpoint(1).write_back(token, StoreRegion::kOutput, 0);
  pair_.endpoint(1).release(token);
  EXPECT_EQ(copying_since(0), 0U);
  const Ticks before = ticks_now();
  ASSERT_TRUE(*stored());
  EXPECT_GE(copying_since(0), before);
  EXPECT_LE(copying_since(0), ticks_now());
  EXPECT_EQ(copying_since(1), 0U) << "it copies nothing";
}

TEST_F(SlotsWrittenBack, WhereTheyAreShort_ReadNoClock) {
  replace(viewed(source_.data(), kBytes), kOffset, 7);
  ASSERT_TRUE(*stored());
  EXPECT_EQ(pair_.endpoint(0).copying_since(0), 0U);
}

TEST_F(SlotsWrittenBack, AreWhereTheyBelong_WhenTheMessageSaysTheyAreStored) {
  replace(viewed(source_.data(), kBytes), kOffset, 7);
  ASSERT_TRUE(*stored());
  EXPECT_THAT(written(kOffset), Each(std::byte{7}));
  EXPECT_EQ(output_[kOffset - 1], kUntouched);
  EXPECT_EQ(output_[kOffset + kBytes], kUntouched);
}

TEST_F(SlotsWrittenBack, AreTakenBeforeTheirSlotIsUsedAgain) {
  for (std::size_t i = 0; i < 3 * RingPair::kSlotCount; ++i)
    replace(viewed(source_.data() + i, kBytes), i * kBytes, static_cast<int>(i + 1));
  ASSERT_TRUE(*stored());
  for (std::size_t i = 0; i < 3 * RingPair::kSlotCount; ++i)
    EXPECT_THAT(written(i * kBytes), Each(static_cast<std::byte>(i + 1))) << i;
}

TEST_F(SlotsWrittenBack, OfSomeMessages_LeaveTheOthersAlone) {
  const Token plain = viewed(source_.data(), kBytes);
  const Token replaced = viewed(source_.data(), kBytes);
  replace(replaced, kOffset, 7);
  pair_.endpoint(1).release(plain);
  ASSERT_TRUE(*stored());
  EXPECT_THAT(written(kOffset), Each(std::byte{7}));
  EXPECT_THAT(std::span(output_).first(kOffset), Each(kUntouched));
}

TEST_F(SlotsWrittenBack, AreNotPossible_OutsideTheRegion_OrWhereThereIsNone) {
  PlainEndpoint& end = pair_.endpoint(1);
  const Token token = viewed(source_.data(), kBytes);
  EXPECT_EQ(end.write_back(token, StoreRegion::kOutput, kOutputBytes - kBytes + 1), nullptr);
  EXPECT_EQ(end.write_back(token, StoreRegion::kOutput, ~std::size_t{0}), nullptr);
  EXPECT_EQ(end.write_back(token, StoreRegion::kScratch, 0), nullptr);
  EXPECT_NE(end.write_back(token, StoreRegion::kOutput, kOutputBytes - kBytes), nullptr);
  EXPECT_EQ(end.write_back(token + 1000, StoreRegion::kOutput, 0), nullptr);
}

TEST_F(SlotsWrittenBack, AreNotPossible_OfMessagesThatLieInNoSlot) {
  PlainEndpoint& end = pair_.endpoint(1);
  const auto where = [&](std::byte* data, std::size_t bytes) {
    return end.write_back(viewed(data, bytes), StoreRegion::kOutput, 0);
  };
  EXPECT_EQ(where(source_.data(), 16), nullptr) << "in its line";
  EXPECT_EQ(where(pair_.range().data(), kBytes), nullptr) << "lent";
  EXPECT_EQ(where(source_.data(), 3 * RingPair::kSlotBytes), nullptr) << "put together from slots";
}

TEST_F(SlotsWrittenBack, ToAPlaceThatIsNotThePeers_AreDataLoss) {
  const Token token = viewed(source_.data(), kBytes);
  replace(token, kOffset, 7);
  pair_.channel(1).write_backs[0][0].place = kOutputBytes - kBytes + 1;
  const auto result = stored();
  EXPECT_EQ(result.status().code(), ErrorCode::kDataLoss);
  EXPECT_THAT(result.status().message(), HasSubstr("rank 1 gave 200 bytes back"));
  EXPECT_THAT(output_, Each(kUntouched));
}

TEST_F(SlotsWrittenBack, ToARegionThatThereIsNot_AreDataLoss) {
  replace(viewed(source_.data(), kBytes), kOffset, 7);
  pair_.channel(1).write_backs[0][0].place = std::uint64_t{9} << StorePlace::kRegionShift;
  EXPECT_EQ(stored().status().code(), ErrorCode::kDataLoss);
  EXPECT_THAT(output_, Each(kUntouched));
}

}  // namespace
}  // namespace rondo::transport
