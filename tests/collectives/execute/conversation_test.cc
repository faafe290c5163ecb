// Messages that come before they are asked for: how many are kept, and of how many bytes; that the
// rest waits at its sender, and nothing is lost or changes its place by it. Both ranks are moved on
// by the test, so what has come to rest has come to rest for good.

#include "collectives/execute/messages/conversation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "collectives/execute/messages/message_receiver.h"
#include "tests/collectives/execute/talking_rank.h"

namespace rondo::execute {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kMost = MessageReceiver::kMostUnexpected;
constexpr std::size_t kMostBytes = MessageReceiver::kMostUnexpectedBytes;
/// Sends that may be done though their messages aren't kept yet: they are in slots.
constexpr std::size_t kUnderWay = 32;

/// Rank 0 sends, rank 1 receives.
class KeptMessages : public ::testing::TestWithParam<transport::TransportKind> {
 protected:
  KeptMessages() {
    const std::vector<std::string> addresses{sender_.address(), receiver_.address()};
    std::thread other([&] { receiver_.connect(addresses); });
    sender_.connect(addresses);
    other.join();
    sender_.begin();
    receiver_.begin();
  }
  static std::uint64_t next_job() {
    static std::uint64_t jobs = 97'000;
    return ++jobs;
  }
  static std::vector<std::byte> content(std::size_t number, std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(31 * number + i);
    return data;
  }
  /// Until nothing moves any more.
  void settle() {
    while (true) {
      const bool sent = sender_.step();
      if (!receiver_.step() && !sent) return;
    }
  }
  /// `tag_step`: 0 where all have one tag, 1 where each has its number.
  void send(std::size_t count, std::size_t bytes, int tag_step) {
    for (std::size_t i = 0; i < count; ++i) {
      sent_.push_back(content(i, bytes));
      sender_.send(sent_.back(), tag_step * static_cast<int>(i));
    }
    settle();
  }
  void expect(std::size_t number, std::size_t bytes, int tag) {
    const std::size_t before = receiver_.done();
    std::vector<std::byte> data(bytes);
    receiver_.receive(data, tag);
    settle();
    ASSERT_EQ(receiver_.done(), before + 1) << "message " << number;
    ASSERT_TRUE(data == content(number, bytes)) << "message " << number;
  }
  /// So many are kept, of so many sent, and arrive in their order.
  void expect_kept(std::size_t kept, std::size_t sent, std::size_t bytes) {
    EXPECT_THAT(receiver_.says(), HasSubstr(said_of(kept, kept * bytes, 0)));
    EXPECT_GE(sender_.done(), kept);
    EXPECT_LE(sender_.done(), kept + kUnderWay);
    for (std::size_t i = 0; i < sent; ++i) expect(i, bytes, 0);
    EXPECT_EQ(sender_.done(), sent);
    EXPECT_THAT(receiver_.says(), Not(HasSubstr("nobody receives")));
  }
  static std::string said_of(std::size_t messages, std::size_t bytes, int first_tag) {
    return "; " + std::to_string(messages) + " messages (" + std::to_string(bytes) +
           " bytes) have come from rank 0 that nobody receives, the first with tag " +
           std::to_string(first_tag) + "; no more are taken";
  }

  const std::uint64_t job_ = next_job();
  std::deque<std::vector<std::byte>> sent_;  // outlives what is under way
  TalkingRank sender_{GetParam(), job_, 0, 2};
  TalkingRank receiver_{GetParam(), job_, 1, 2};
};

TEST_P(KeptMessages, MoreThanAThousandAndTwentyFour_WaitAndArriveInOrder) {
  send(kMost + 200, 100, 0);
  expect_kept(kMost, kMost + 200, 100);
}

TEST_P(KeptMessages, OfMoreThanFourMebibytes_WaitAndArriveInOrder) {
  send(kMostBytes / kEagerBytes + 40, kEagerBytes, 0);
  expect_kept(kMostBytes / kEagerBytes, kMostBytes / kEagerBytes + 40, kEagerBytes);
}

TEST_P(KeptMessages, AsManyAsMayBe_HoldNothingBack) {
  send(kMost, 100, 0);
  EXPECT_EQ(sender_.done(), kMost);
  EXPECT_THAT(receiver_.says(), Not(HasSubstr("nobody receives")));
  expect(0, 100, 0);
}

TEST_P(KeptMessages, OneThatIsReceived_MakesRoomForOne) {
  send(kMost + 10, 100, 1);
  EXPECT_THAT(receiver_.says(), HasSubstr(said_of(kMost, kMost * 100, 0)));
  expect(0, 100, 0);
  EXPECT_THAT(receiver_.says(), HasSubstr(said_of(kMost, kMost * 100, 1)));
}

TEST_P(KeptMessages, TheNextAfterThem_IsReceivedWithoutRoom) {
  send(kMost + 10, 100, 1);
  expect(kMost, 100, static_cast<int>(kMost));
  EXPECT_THAT(receiver_.says(), HasSubstr(said_of(kMost, kMost * 100, 0)));
}

// What is longer stays where it is: its announcement alone is kept.
TEST_P(KeptMessages, AnnouncedOnes_CountWithoutTheirBytes_AndGoOutWhenTheyAreReceived) {
  std::vector<std::byte> data = content(0, kEagerBytes + 1);
  for (std::size_t i = 0; i < kMost + 10; ++i) sender_.send(data, 0);
  settle();
  EXPECT_THAT(receiver_.says(), HasSubstr(said_of(kMost, 0, 0)));
  EXPECT_EQ(sender_.done(), 0U);
  for (std::size_t i = 1; i <= 5; ++i) {
    expect(0, data.size(), 0);
    EXPECT_EQ(sender_.done(), i);
  }
}

// Deadlines go by that.
TEST_P(KeptMessages, ALongOneBehindOthers_MovesWithThem_UntilItIsAnnounced) {
  using Stage = Outstanding::Stage;
  send(kMost + 200, 100, 0);
  std::vector<std::byte> data = content(7, kEagerBytes + 1);
  sender_.send(data, 1);
  settle();
  const Outstanding before = sender_.newest();
  EXPECT_EQ(before.message->tag, 1);
  EXPECT_EQ(before.stage, Stage::kQueued);
  for (std::size_t i = 0; i < 100; ++i) expect(i, 100, 0);
  EXPECT_EQ(sender_.newest().stage, Stage::kQueued);
  EXPECT_GT(sender_.newest().moves, before.moves);
  for (std::size_t i = 100; i < kMost + 200; ++i) expect(i, 100, 0);
  EXPECT_EQ(sender_.newest().stage, Stage::kUnmatched);
  expect(7, data.size(), 1);
  EXPECT_EQ(sender_.newest().message, nullptr);
}

// Its answer must not wait behind what nobody takes.
TEST_P(KeptMessages, ALongOneTheOtherWay_ArrivesWhileNoMoreIsTaken) {
  send(kMost + 200, 100, 0);
  std::vector<std::byte> data = content(7, 3 * kEagerBytes + 1);
  std::vector<std::byte> place(data.size());
  const std::size_t before = sender_.done();
  receiver_.send(data, 5);
  sender_.receive(place, 5);
  settle();
  EXPECT_EQ(receiver_.done(), 1U);
  EXPECT_EQ(sender_.done(), before + 1);
  EXPECT_TRUE(place == data);
  EXPECT_THAT(receiver_.says(), HasSubstr(said_of(kMost, kMost * 100, 0)));
}

INSTANTIATE_TEST_SUITE_P(Transports, KeptMessages,
                         ::testing::Values(transport::TransportKind::kInproc,
                                           transport::TransportKind::kShm),
                         [](const auto& parameter) {
                           return std::string(transport::to_string(parameter.param));
                         });

}  // namespace
}  // namespace rondo::execute
