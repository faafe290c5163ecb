// Messages that say in their own line what they are: read before anybody says where their bytes go.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <vector>

#include "tests/transport/ring/ring_pair.h"

namespace rondo::transport {
namespace {

using testing::HasSubstr;

const Call kCall{.sequence = 5, .fingerprint = {.collective = 1, .count = 77}};

Heading heading_of(std::uint8_t seed) {
  Heading heading;
  for (std::size_t i = 0; i < heading.size(); ++i)
    heading[i] = static_cast<std::byte>(seed + 11 * i);
  return heading;
}

std::vector<std::byte> bytes_of(std::uint8_t seed, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(seed + 7 * i);
  return bytes;
}

class Headings : public testing::Test {
 protected:
  Headings() { pair_.begin(kCall); }

  bool send_at_once(const Heading& heading, std::span<const std::byte> message) {
    auto sent = sender().send_headed(heading, message);
    EXPECT_TRUE(sent.ok()) << sent.status().to_string();
    return sent.ok() && *sent;
  }
  Token post(int rank, const Transfer& transfer) {
    auto token = pair_.endpoint(rank).post({&transfer, 1});
    EXPECT_TRUE(token.ok()) << token.status().to_string();
    return token.ok() ? *token : Token{};
  }
  Token send(const Heading* heading, std::span<std::byte> message) {
    return post(0, {.kind = TransferKind::kSend,
                    .lane = kBufferedLane,
                    .data = message.data(),
                    .bytes = message.size(),
                    .heading = heading});
  }
  /// Whether the next message is headed like this.
  bool is_next(const Heading& heading) {
    const auto next = receiver().next_heading();
    EXPECT_TRUE(next.ok()) << next.status().to_string();
    return next.ok() && *next != nullptr && **next == heading;
  }
  bool nothing_came() {
    const auto next = receiver().next_heading();
    return next.ok() && *next == nullptr;
  }
  std::vector<std::byte> take(std::size_t count) {
    std::vector<std::byte> target(count);
    const auto taken = receiver().take_headed(target);
    EXPECT_TRUE(taken.ok() && *taken);
    return target;
  }
  PlainEndpoint& sender() { return pair_.endpoint(0); }
  PlainEndpoint& receiver() { return pair_.endpoint(1); }

  RingPair pair_;
};

TEST_F(Headings, ComeWithTheirBytes_InOrder) {
  std::uint8_t seed = 1;
  for (const std::size_t count : {0U, 1U, 24U, 25U, 100U, 128U}) {
    EXPECT_TRUE(send_at_once(heading_of(seed), bytes_of(seed, count)));
    EXPECT_TRUE(send_at_once(heading_of(seed + 100), {}));
    EXPECT_TRUE(is_next(heading_of(seed))) << count;
    EXPECT_TRUE(is_next(heading_of(seed))) << "until it is taken";
    EXPECT_EQ(take(count), bytes_of(seed, count));
    EXPECT_TRUE(is_next(heading_of(seed + 100)));
    take(0);
    EXPECT_TRUE(nothing_came());
    ++seed;
  }
}

TEST_F(Headings, OfMessagesInSeveralSlots_AreReadFirst_AndTheirBytesAreReceived) {
  const Heading heading = heading_of(9);
  std::vector<std::byte> message = bytes_of(9, 700);
  const Token sent = send(&heading, message);
  ASSERT_TRUE(is_next(heading));
  std::vector<std::byte> target(message.size());
  const auto taken = receiver().take_headed(target);
  ASSERT_TRUE(taken.ok());
  EXPECT_FALSE(*taken);
  const Token received = post(1, {.kind = TransferKind::kRecv,
                                  .lane = kBufferedLane,
                                  .data = target.data(),
                                  .bytes = target.size()});
  EXPECT_TRUE(*receiver().poll(received));
  EXPECT_TRUE(*sender().poll(sent));
  EXPECT_EQ(target, message);
  EXPECT_TRUE(send_at_once(heading_of(10), {}));
  EXPECT_TRUE(is_next(heading_of(10)));
}

TEST_F(Headings, OfLentMemory_AreReadWhereTheBytesLie_OrWhereTheyWereMoved) {
  const std::span<std::byte> lent = pair_.range().first(2000);
  for (const bool moved : {false, true}) {
    const std::vector<std::byte> content = bytes_of(moved ? 3 : 4, lent.size());
    std::memcpy(lent.data(), content.data(), lent.size());
    const Heading heading = heading_of(moved ? 3 : 4);
    const Token sent = send(&heading, lent);
    EXPECT_FALSE(*sender().poll(sent));
    EXPECT_EQ(sender().copy_lent(), true);
    if (moved) std::memset(lent.data(), 0, lent.size());
    ASSERT_TRUE(is_next(heading));
    EXPECT_EQ(take(lent.size()), content);
    EXPECT_TRUE(*sender().poll(sent));
  }
}

TEST_F(Headings, AreNotSentAtOnce_BehindOthersOnTheirWay_OrWithoutRoom) {
  const Heading first = heading_of(1);
  const Token lent = send(&first, pair_.range().first(2000));
  EXPECT_FALSE(send_at_once(heading_of(2), {}));
  ASSERT_TRUE(is_next(first));
  take(2000);
  EXPECT_TRUE(*sender().poll(lent));
  for (std::size_t i = 0; i < RingPair::kBuffer.count; ++i)
    ASSERT_TRUE(send_at_once(heading_of(3), bytes_of(3, 100))) << i;
  EXPECT_FALSE(send_at_once(heading_of(4), bytes_of(4, 100)));
  ASSERT_TRUE(is_next(heading_of(3)));
  take(100);
  EXPECT_TRUE(send_at_once(heading_of(4), bytes_of(4, 100)));
}

TEST_F(Headings, ThatSayAnotherSize_AreDataLoss) {
  EXPECT_TRUE(send_at_once(heading_of(1), bytes_of(1, 10)));
  ASSERT_TRUE(is_next(heading_of(1)));
  std::vector<std::byte> target(11);
  const Status status = receiver().take_headed(target).status();
  EXPECT_EQ(status.code(), ErrorCode::kDataLoss);
  EXPECT_EQ(status.culprit(), 0);
}

TEST_F(Headings, WhereThereShouldBeNone_OrNoneWhereThereShouldBe_AreDataLoss) {
  std::vector<std::byte> bytes = bytes_of(1, 8);
  send(nullptr, bytes);
  const Status missing = receiver().next_heading().status();
  EXPECT_EQ(missing.code(), ErrorCode::kDataLoss);
  EXPECT_THAT(missing.message(), HasSubstr("without a heading"));

  RingPair other;
  other.begin(kCall);
  const Transfer plain{.kind = TransferKind::kSend, .data = bytes.data(), .bytes = bytes.size()};
  ASSERT_TRUE(other.endpoint(0).post({&plain, 1}).ok());
  other.channel(0).lines[0][0].content.set_heading(heading_of(1));
  const Transfer receive{.kind = TransferKind::kRecv, .data = bytes.data(), .bytes = bytes.size()};
  EXPECT_EQ(other.endpoint(1).post({&receive, 1}).status().code(), ErrorCode::kDataLoss);
}

/// A place that waits for something else must be able to sleep.
TEST_F(Headings, ThatNobodyTakes_KeepNoOneAwake) {
  EXPECT_TRUE(nothing_came());
  EXPECT_FALSE(receiver().can_progress());
  EXPECT_TRUE(send_at_once(heading_of(1), {}));
  EXPECT_TRUE(receiver().can_progress()) << "it was awaited";
  EXPECT_TRUE(receiver().progress().ok());
  EXPECT_FALSE(receiver().can_progress()) << "it has been noticed";
  EXPECT_TRUE(is_next(heading_of(1)));
}

TEST_F(Headings, OfAPeerThatLeft_AreTaken_ThenItIsMissed) {
  EXPECT_TRUE(nothing_came());
  EXPECT_TRUE(send_at_once(heading_of(1), {}));
  receiver().peer_left(Status(ErrorCode::kPeerLost, "rank 0 left", 0));
  EXPECT_TRUE(receiver().can_progress()) << "somebody awaits it";
  EXPECT_TRUE(is_next(heading_of(1)));
  take(0);
  EXPECT_EQ(receiver().next_heading().status().code(), ErrorCode::kPeerLost);
  EXPECT_FALSE(receiver().can_progress());
  EXPECT_TRUE(receiver().failure().ok());
}

}  // namespace
}  // namespace rondo::transport
