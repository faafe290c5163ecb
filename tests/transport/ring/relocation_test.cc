// Messages that were lent to a peer that doesn't look: copied, so that their sender goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

#include "tests/transport/ring/ring_pair.h"

namespace rondo::transport {
namespace {

using testing::HasSubstr;

const Call kCall{.sequence = 5, .fingerprint = {.collective = 1, .count = 77}};
constexpr std::size_t kBytes = 2000;  // 16 of the 32 slots

class Relocation : public testing::Test {
 protected:
  Relocation() { pair_.begin(kCall); }

  /// Memory that can be lent, with bytes that depend on `seed`.
  std::span<std::byte> fill(std::size_t place, std::uint8_t seed) {
    const auto memory = pair_.range().subspan(place * kBytes, kBytes);
    const std::vector<std::byte> bytes = content(seed);
    std::ranges::copy(bytes, memory.begin());
    return memory;
  }
  static std::vector<std::byte> content(std::uint8_t seed) {
    std::vector<std::byte> bytes(kBytes);
    for (std::size_t i = 0; i < kBytes; ++i) bytes[i] = static_cast<std::byte>(seed + 7 * i);
    return bytes;
  }
  Token send(std::span<std::byte> data) {
    return post(0, {.kind = TransferKind::kSend, .data = data.data(), .bytes = data.size()});
  }
  bool is_sent(Token token) { return *pair_.endpoint(0).poll(token); }
  std::vector<std::byte> receive() {
    std::vector<std::byte> data(kBytes);
    const Token token =
        post(1, {.kind = TransferKind::kRecv, .data = data.data(), .bytes = data.size()});
    EXPECT_TRUE(*pair_.endpoint(1).poll(token));
    return data;
  }
  Token post(int rank, Transfer transfer) {
    transfer.lane = kBufferedLane;
    auto token = pair_.endpoint(rank).post({&transfer, 1});
    EXPECT_TRUE(token.ok()) << token.status().to_string();
    return token.ok() ? *token : Token{};
  }
  std::uint64_t copied() { return pair_.endpoint(0).traffic().copied_bytes; }

  RingPair pair_;
};

TEST_F(Relocation, OfWhatThePeerHasntLookedAt_EndsTheSend_AndItsBytesArrive) {
  const auto memory = fill(0, 3);
  const Token token = send(memory);
  EXPECT_FALSE(is_sent(token));
  EXPECT_EQ(copied(), 0u);
  EXPECT_TRUE(pair_.endpoint(0).copy_lent());
  EXPECT_TRUE(is_sent(token));
  EXPECT_EQ(copied(), kBytes);
  std::ranges::fill(memory, std::byte{0xEE});
  EXPECT_EQ(receive(), content(3));
}

/// So that what waits for a message knows when it had come. Of short ones that would take as long
/// as the copy.
TEST_F(Relocation, ReceiverTellsWhenItBeganToCopyALongMessage) {
  const auto copying_since = [this] { return pair_.endpoint(1).copying_since(kBufferedLane); };
  send(fill(0, 3));
  receive();
  EXPECT_EQ(copying_since(), 0U);
  const auto message = pair_.range().first(5000);
  send(message);
  const Ticks before = ticks_now();
  std::vector<std::byte> data(message.size());
  const Token token =
      post(1, {.kind = TransferKind::kRecv, .data = data.data(), .bytes = data.size()});
  ASSERT_TRUE(*pair_.endpoint(1).poll(token));
  const Ticks first = copying_since();
  EXPECT_GE(first, before);
  EXPECT_LE(first, ticks_now());
  send(message);
  const Token view = post(1, {.kind = TransferKind::kRecvView, .bytes = message.size()});
  ASSERT_TRUE(*pair_.endpoint(1).poll(view));
  pair_.endpoint(1).release(view);
  EXPECT_EQ(copying_since(), first) << "what is read where it lies isn't copied";
}

TEST_F(Relocation, OfWhatThePeerReads_DoesntEndTheSend) {
  const auto memory = fill(0, 3);
  const Token token = send(memory);
  const Token view = post(1, {.kind = TransferKind::kRecvView, .bytes = kBytes});
  ASSERT_TRUE(*pair_.endpoint(1).poll(view));
  EXPECT_EQ(pair_.endpoint(1).view(view), memory.data());
  EXPECT_FALSE(pair_.endpoint(0).copy_lent());
  EXPECT_FALSE(is_sent(token));
  pair_.endpoint(1).release(view);
  EXPECT_TRUE(is_sent(token));
}

TEST_F(Relocation, MakesFurtherMessagesCopiesAtOnce_UntilThePeerReads) {
  send(fill(0, 1));
  EXPECT_TRUE(pair_.endpoint(0).copy_lent());
  const Token copy = send(fill(1, 2));
  EXPECT_TRUE(is_sent(copy));
  EXPECT_EQ(copied(), 2 * kBytes);
  EXPECT_EQ(receive(), content(1));
  EXPECT_EQ(receive(), content(2));
  const Token lent = send(fill(2, 3));
  EXPECT_FALSE(is_sent(lent));
  EXPECT_EQ(receive(), content(3));
  EXPECT_TRUE(is_sent(lent));
  EXPECT_EQ(copied(), 2 * kBytes);
}

TEST_F(Relocation, OfMoreThanThereIsRoomFor_WaitsForRoom) {
  Token tokens[3];
  for (std::uint8_t i = 0; i < 3; ++i) tokens[i] = send(fill(i, i));
  EXPECT_TRUE(pair_.endpoint(0).copy_lent());
  EXPECT_TRUE(is_sent(tokens[1]));
  EXPECT_FALSE(is_sent(tokens[2]));
  EXPECT_FALSE(pair_.endpoint(0).copy_lent());
  EXPECT_EQ(receive(), content(0));
  EXPECT_TRUE(pair_.endpoint(0).copy_lent());
  EXPECT_TRUE(is_sent(tokens[2]));
  std::ranges::fill(pair_.range(), std::byte{0xEE});
  EXPECT_EQ(receive(), content(1));
  EXPECT_EQ(receive(), content(2));
}

TEST_F(Relocation, ByLookingAgainAndAgain_EndsTheSend) {
  const Token token = send(fill(0, 9));
  int looks = 0;
  while (!is_sent(token) && looks < 100'000) ++looks;
  EXPECT_GT(looks, 1000);
  EXPECT_LT(looks, 100'000);
  EXPECT_EQ(receive(), content(9));
}

TEST_F(Relocation, ToSlotsThatDontExist_IsDataLossThatNamesThePeer) {
  for (const std::uint64_t slot : {std::uint64_t{32}, std::uint64_t{255}, std::uint64_t{17}}) {
    RingPair pair;
    pair.begin(kCall);
    const Transfer lent{.lane = kBufferedLane, .data = pair.range().data(), .bytes = kBytes};
    ASSERT_TRUE(pair.endpoint(0).post({&lent, 1}).ok());
    pair.channel(0).relocations.moved[0] = (1u << Relocations::kSlotBits) | slot;
    std::vector<std::byte> data(kBytes);
    const Transfer receive{
        .kind = TransferKind::kRecv, .lane = kBufferedLane, .data = data.data(), .bytes = kBytes};
    const Status status = pair.endpoint(1).post({&receive, 1}).status();
    EXPECT_EQ(status.code(), ErrorCode::kDataLoss);
    EXPECT_EQ(status.culprit(), 0);
    EXPECT_THAT(status.to_string(), HasSubstr("of 32"));
  }
}

/// Bytes that change with every message, so that any of another message shows.
void write_all(std::span<std::byte> data, std::uint32_t value) {
  for (std::size_t i = 0; i + sizeof(value) <= data.size(); i += sizeof(value))
    std::memcpy(&data[i], &value, sizeof(value));
}
bool has_all(std::span<const std::byte> data, std::uint32_t value) {
  for (std::size_t i = 0; i + sizeof(value) <= data.size(); i += sizeof(value))
    if (std::memcmp(&data[i], &value, sizeof(value)) != 0) return false;
  return true;
}

// The sender writes to its memory again as soon as it may, while the receiver is about to read it.
// Where other programs have the cores, each yield takes long: then there are fewer messages.
TEST_F(Relocation, WhileThePeerBeginsToRead_NeverMixesMessages) {
  constexpr std::uint32_t kMessages = 20'000;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::atomic<std::uint32_t> messages = kMessages;
  std::thread sender([this, end, &messages] {
    const auto memory = pair_.range().first(kBytes);
    for (std::uint32_t message = 0; message < kMessages; ++message) {
      if (std::chrono::steady_clock::now() >= end) {
        messages = message;
        break;
      }
      write_all(memory, message);
      const Token token = send(memory);
      for (std::uint32_t turn = 0; turn < message % 40; ++turn) std::this_thread::yield();
      while (!is_sent(token)) pair_.endpoint(0).copy_lent();
    }
  });
  std::uint32_t wrong = 0;
  std::vector<std::byte> data(kBytes);
  for (std::uint32_t message = 0; message < messages; ++message) {
    for (std::uint32_t turn = 0; turn < message % 37; ++turn) std::this_thread::yield();
    const Token token =
        post(1, {.kind = TransferKind::kRecv, .data = data.data(), .bytes = data.size()});
    bool received = *pair_.endpoint(1).poll(token);
    for (; !received && message < messages; received = *pair_.endpoint(1).poll(token))
      std::this_thread::yield();
    if (received && !has_all(data, message)) ++wrong;
  }
  sender.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace rondo::transport
