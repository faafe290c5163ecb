// Several data connections for one pair: what is posted first is delivered first, whichever
// connection brings it, and no connection that is full holds up those that aren't.

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "tests/transport/tcp/tcp_world.h"
#include "transport/tcp/inbox.h"
#include "transport/tcp/link_speed.h"
#include "transport/tcp/outbox.h"

namespace rondo::transport {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t kSockets = 3;
constexpr std::size_t kWindow = 8;
const Call kCall{1, 2, sum_of(1009)};

/// An outbox and the inbox of its peer, joined by pairs of small sockets.
class TcpSockets : public ::testing::Test {
 protected:
  TcpSockets() {
    for (std::size_t i = 0; i < kSockets; ++i) {
      std::array<int, 2> pair{};
      EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()), 0);
      near_.emplace_back(pair[0]);
      far_.emplace_back(pair[1]);
    }
    inbox_.begin(kCall);
  }

  Token send(const Bytes& payload, std::uint16_t lane = 0) {
    const std::uint32_t group = sends_.acquire(1);
    outbox_.send({.lane = lane, .payload_bytes = payload.size(), .call = kCall}, payload.data(),
                 group);
    return sends_.token_of(group);
  }
  Token recv(Bytes& target, std::uint16_t lane = 0) {
    const std::uint32_t group = receives_.acquire(1);
    EXPECT_TRUE(
        inbox_
            .expect(lane,
                    {.view = false, .data = target.data(), .bytes = target.size(), .group = group})
            .ok());
    return receives_.token_of(group);
  }
  bool sent(Token token) { return sends_.find(token)->remaining == 0; }
  bool received(Token token) { return receives_.find(token)->remaining == 0; }
  /// What lies in that connection.
  std::size_t waiting_bytes(std::size_t socket) {
    Bytes bin(1 << 22);
    const ssize_t bytes = ::recv(far_[socket].get(), bin.data(), bin.size(), MSG_PEEK);
    return bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
  }
  /// Reads one connection alone.
  Status pump_only(std::size_t socket) {
    std::vector<UniqueFd> silent;
    std::vector<UniqueFd> writers;
    for (std::size_t i = 0; i < kSockets; ++i) {
      std::array<int, 2> pair{};
      EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()), 0);
      silent.emplace_back(pair[0]);
      writers.emplace_back(pair[1]);
    }
    std::swap(silent[socket], far_[socket]);
    Status status = inbox_.drain(silent);
    std::swap(silent[socket], far_[socket]);
    return status;
  }

  std::vector<UniqueFd> near_;
  std::vector<UniqueFd> far_;
  TcpGroups sends_{64};
  TcpGroups receives_{64};
  CallHistory peer_calls_;
  CallHistory own_calls_;
  Outbox outbox_{kWindow, kSockets, sends_};
  Inbox inbox_{
      0, 1, {kWindow, std::size_t{1} << 30, kSockets}, receives_, outbox_, peer_calls_, own_calls_};
};

TEST_F(TcpSockets, LargeMessages_GoByWhicheverConnectionHasRoom) {
  std::vector<Bytes> sources;
  for (std::size_t i = 0; i < kWindow; ++i) sources.push_back(pattern(std::size_t{150} << 10, i));
  for (const Bytes& source : sources) send(source);
  ASSERT_TRUE(outbox_.flush(near_));
  for (std::size_t i = 0; i < kSockets; ++i) EXPECT_GT(waiting_bytes(i), 0U) << i;
}

TEST_F(TcpSockets, FullConnection_HoldsUpNoOther) {
  const Bytes huge = pattern(std::size_t{8} << 20, 1);
  const Token stuck = send(huge);
  ASSERT_TRUE(outbox_.flush(near_));
  ASSERT_FALSE(sent(stuck));
  const Bytes small = pattern(300, 2);
  const Token quick = send(small, 1);
  ASSERT_TRUE(outbox_.flush(near_));
  EXPECT_TRUE(sent(quick));
  EXPECT_TRUE(outbox_.pending(0));
  Bytes target(small.size());
  const Token received_quick = recv(target, 1);
  ASSERT_TRUE(inbox_.pump(far_).ok());
  EXPECT_TRUE(received(received_quick));
  EXPECT_EQ(target, small);
}

TEST_F(TcpSockets, LaterMessageArrivesFirst_CompletesAfterTheEarlierOne) {
  const Bytes first = pattern(std::size_t{1} << 20, 1);  // more than a connection holds
  const Bytes second = pattern(1000, 2);
  const Token sent_first = send(first);
  ASSERT_TRUE(outbox_.flush(near_));
  send(second);
  ASSERT_TRUE(outbox_.flush(near_));
  ASSERT_GT(waiting_bytes(1), 0U);
  Bytes first_target(first.size());
  Bytes second_target(second.size());
  const Token first_token = recv(first_target);
  const Token second_token = recv(second_target);
  ASSERT_TRUE(pump_only(1).ok());
  EXPECT_EQ(second_target, second);
  EXPECT_FALSE(received(second_token));
  EXPECT_EQ(inbox_.posted(), 2U);
  while (!sent(sent_first)) {
    ASSERT_TRUE(inbox_.pump(far_).ok());
    ASSERT_TRUE(outbox_.flush(near_));
  }
  ASSERT_TRUE(inbox_.drain(far_).ok());
  EXPECT_TRUE(received(first_token));
  EXPECT_TRUE(received(second_token));
  EXPECT_EQ(first_target, first);
}

TEST_F(TcpSockets, LaterMessageBeforeAnyReceive_IsStagedAndGivenToItsOwn) {
  const Bytes other = pattern(10, 3);
  const Bytes first = pattern(std::size_t{1} << 20, 1);
  const Bytes second = pattern(1000, 2);
  send(first);
  ASSERT_TRUE(outbox_.flush(near_));
  send(second);
  send(other, 1);
  ASSERT_TRUE(outbox_.flush(near_));
  Bytes other_target(other.size());
  const Token other_token = recv(other_target, 1);  // behind `second` on its connection
  ASSERT_TRUE(pump_only(1).ok());
  EXPECT_TRUE(received(other_token));
  Bytes first_target(first.size());
  Bytes second_target(second.size());
  const Token first_token = recv(first_target);
  const Token second_token = recv(second_target);
  EXPECT_EQ(second_target, second);
  EXPECT_FALSE(received(second_token));
  for (int look = 0; look < 100 && !received(first_token); ++look) {
    ASSERT_TRUE(inbox_.drain(far_).ok());
    ASSERT_TRUE(outbox_.flush(near_));
  }
  EXPECT_TRUE(received(first_token));
  EXPECT_TRUE(received(second_token));
  EXPECT_EQ(first_target, first);
}

TEST_F(TcpSockets, Goodbye_CountsOnceEveryConnectionHasBroughtIt) {
  outbox_.send_goodbye(kCall);
  ASSERT_TRUE(outbox_.flush(near_));
  EXPECT_TRUE(outbox_.empty());
  ASSERT_TRUE(pump_only(0).ok());
  ASSERT_TRUE(pump_only(2).ok());
  EXPECT_FALSE(inbox_.left_after().has_value());
  ASSERT_TRUE(pump_only(1).ok());
  EXPECT_EQ(inbox_.left_after(), std::optional<std::uint64_t>(1));
  EXPECT_FALSE(inbox_.ended());
}

TEST_F(TcpSockets, OneConnectionEnds_WhatTheOthersBringStillCounts) {
  const Bytes first = pattern(1000, 1);
  send(first);
  ASSERT_TRUE(outbox_.flush(near_));
  near_[2].reset();
  ASSERT_TRUE(pump_only(2).ok());
  EXPECT_TRUE(inbox_.ended());
  EXPECT_FALSE(inbox_.exhausted());
  EXPECT_TRUE(inbox_.reads(0));
  EXPECT_FALSE(inbox_.reads(2));
  Bytes target(first.size());
  const Token token = recv(target);
  ASSERT_TRUE(inbox_.pump(far_).ok());
  EXPECT_TRUE(received(token));
  EXPECT_EQ(target, first);
  near_[0].reset();
  near_[1].reset();
  ASSERT_TRUE(inbox_.pump(far_).ok());
  EXPECT_TRUE(inbox_.exhausted());
}

TEST_F(TcpSockets, SameMessageTwice_IsThePeersError) {
  std::array<std::byte, kFrameHeaderBytes> header;
  encode_frame_header({.payload_bytes = 0, .message = 0, .call = kCall}, header);
  Bytes target(8);
  recv(target);
  // Its receive wants 8 bytes; a first message of them is on its way by another connection.
  std::array<std::byte, kFrameHeaderBytes> proper;
  encode_frame_header({.payload_bytes = 8, .message = 0, .call = kCall}, proper);
  ASSERT_EQ(::send(near_[0].get(), proper.data(), proper.size(), 0), ssize_t{kFrameHeaderBytes});
  ASSERT_TRUE(inbox_.pump(far_).ok());
  ASSERT_EQ(::send(near_[1].get(), header.data(), header.size(), 0), ssize_t{kFrameHeaderBytes});
  const Status status = inbox_.pump(far_);
  EXPECT_TRUE(contains(status, "message 0 of lane 0 for a second time")) << status.to_string();
  EXPECT_EQ(status.culprit(), 1);
}

TEST(TcpSocketsOfWorlds, ManyMessagesOfAllSizesAndLanes_ArriveUnchangedAndInOrder) {
  TcpWorld world(3, {.window = 4, .sockets = kSockets});
  constexpr std::size_t kRounds = 40;
  for (std::size_t round = 0; round < kRounds; ++round) {
    std::vector<Bytes> sources;
    std::vector<Bytes> targets;
    std::vector<Token> tokens;
    for (std::size_t i = 0; i < 12; ++i) {
      const auto lane = static_cast<std::uint16_t>(i % 3);
      sources.push_back(pattern((i * 7919 + round * 104'729) % (i % 4 == 0 ? 700'000 : 900), i));
      targets.emplace_back(sources.back().size());
      world.send(0, 2, sources.back(), lane);
    }
    for (std::size_t i = 0; i < 12; ++i)
      tokens.push_back(world.recv(2, 0, targets[i], static_cast<std::uint16_t>(i % 3)));
    for (const Token token : tokens) ASSERT_TRUE(world.finish(2, 0, token)) << round;
    ASSERT_EQ(sources, targets) << round;
  }
}

TEST(TcpSocketsOfWorlds, RanksOfDifferentNumbers_UseTheSmaller) {
  const Identity first{.job = 1, .epoch = 1, .rank = 0, .world = 2};
  Identity second = first;
  second.rank = 1;
  for (const bool more_at_first : {true, false}) {
    const auto at_0 = listen_as(first, {.sockets = more_at_first ? 5U : 2U});
    const auto at_1 = listen_as(second, {.sockets = more_at_first ? 2U : 5U});
    for (const Status& status :
         join_all({at_0.get(), at_1.get()}, {{0, at_0->address()}, {1, at_1->address()}}, 20'000))
      EXPECT_TRUE(status.ok()) << status.to_string();
    at_0->endpoint(1)->begin(kCall, {});
    at_1->endpoint(0)->begin(kCall, {});
    Bytes source = pattern(1'000'000, 5);
    Bytes target(source.size());
    const Transfer send{TransferKind::kSend, 0, source.data(), source.size()};
    const Transfer recv{TransferKind::kRecv, 0, target.data(), target.size()};
    ASSERT_TRUE(at_0->endpoint(1)->post({&send, 1}).ok());
    const Result<Token> token = at_1->endpoint(0)->post({&recv, 1});
    ASSERT_TRUE(token.ok());
    const Deadline deadline = after_ms(20'000);
    while (!*at_1->endpoint(0)->poll(*token) && std::chrono::steady_clock::now() < deadline) {
      ASSERT_TRUE(at_0->progress().ok());
      ASSERT_TRUE(at_1->progress().ok());
    }
    EXPECT_EQ(source, target);
  }
}

TEST(TcpSocketsOfWorlds, NumberOutOfRange_IsRefused) {
  for (const std::size_t sockets : {std::size_t{0}, std::size_t{17}}) {
    const auto transport =
        TcpTransport::create({.job = 1, .epoch = 1, .rank = 0, .world = 2}, {.sockets = sockets});
    ASSERT_FALSE(transport.ok());
    EXPECT_TRUE(contains(transport.status(), "there may be 1 to 16"));
  }
}

TEST(TcpLinkSpeed, Sockets_GrowWithTheLink) {
  EXPECT_EQ(sockets_to_fill(std::nullopt), 1U);
  EXPECT_EQ(sockets_to_fill(1'000), 1U);
  EXPECT_EQ(sockets_to_fill(10'000), 1U);
  EXPECT_EQ(sockets_to_fill(25'000), 2U);
  EXPECT_EQ(sockets_to_fill(100'000), 4U);
}

TEST(TcpLinkSpeed, Sockets_LeaveDescriptorsForTheRest) {
  EXPECT_EQ(sockets_that_fit(4, 3, 1024), 4U);
  EXPECT_EQ(sockets_that_fit(4, 200, 1024), 1U);
  EXPECT_EQ(sockets_that_fit(4, 128, 1024), 3U);
  EXPECT_EQ(sockets_that_fit(4, 100'000, 1024), 1U);
  EXPECT_EQ(sockets_that_fit(1, 0, 0), 1U);
  EXPECT_GT(most_open_descriptors(), 10U);
}

TEST(TcpLinkSpeed, LoopbackAndStrangers_HaveNone) {
  EXPECT_EQ(link_speed_mbit("127.0.0.1"), std::nullopt);
  EXPECT_EQ(link_speed_mbit("203.0.113.7"), std::nullopt);
}

}  // namespace
}  // namespace rondo::transport
