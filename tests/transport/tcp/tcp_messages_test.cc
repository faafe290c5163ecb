// Messages between healthy ranks: order, sizes, views, lanes, flow control, counting.

#include <gtest/gtest.h>

#include <deque>

#include "tests/transport/tcp/tcp_world.h"

namespace rondo::transport {
namespace {

using Bytes = std::vector<std::byte>;

const std::vector<std::size_t> kSizes = {0, 1, 63, 4096, 8192 - 48, 8192, 9000, (1 << 20) + 3};

TEST(TcpMessages, AnySizePostedBeforeOrAfterTheData_ArriveUnchanged) {
  TcpWorld world(2);
  for (const bool recv_first : {true, false}) {
    for (const std::size_t bytes : kSizes) {
      Bytes source = pattern(bytes, bytes);
      Bytes target(bytes);
      Token received = 0;
      if (recv_first) received = world.recv(1, 0, target);
      const Token sent = world.send(0, 1, source);
      if (!recv_first) {
        world.drive([looks = 0]() mutable { return ++looks > 50; });
        received = world.recv(1, 0, target);
      }
      ASSERT_TRUE(world.finish(1, 0, received)) << bytes;
      ASSERT_TRUE(world.finish(0, 1, sent)) << bytes;
      EXPECT_EQ(source, target) << bytes;
    }
  }
}

TEST(TcpMessages, ManyWithASmallWindow_ArriveInOrder) {
  TcpWorld world(2, {.window = 3});
  ASSERT_EQ(world.end(0, 1).window(), 3U);
  constexpr std::size_t kMessages = 500;
  std::vector<Bytes> sources;
  std::vector<Bytes> targets;
  std::deque<Token> sends;
  std::deque<Token> receives;
  for (std::size_t i = 0; i < kMessages; ++i) {
    sources.push_back(pattern(i * 37 % 5000, i));
    targets.emplace_back(sources.back().size());
  }
  std::size_t next_send = 0;
  std::size_t next_recv = 0;
  const auto step = [&](std::deque<Token>& tokens, std::size_t& next, int at, int peer,
                        std::vector<Bytes>& data, TransferKind kind) {
    while (!tokens.empty() && *world.end(at, peer).poll(tokens.front())) tokens.pop_front();
    if (tokens.size() < 3 && next < kMessages) {
      tokens.push_back(world.post(at, peer, {kind, 0, data[next].data(), data[next].size()}));
      ++next;
    }
  };
  ASSERT_TRUE(world.drive([&] {
    step(sends, next_send, 0, 1, sources, TransferKind::kSend);
    step(receives, next_recv, 1, 0, targets, TransferKind::kRecv);
    return next_recv == kMessages && receives.empty() && sends.empty();
  }));
  EXPECT_EQ(sources, targets);
}

TEST(TcpMessages, BothSend64MiBAtOnce_NeitherWaitsForTheOther) {
  TcpWorld world(2);
  constexpr std::size_t kBytes = 64 << 20;
  Bytes of_0 = pattern(kBytes, 1);
  Bytes of_1 = pattern(kBytes, 2);
  Bytes at_0(kBytes);
  Bytes at_1(kBytes);
  world.send(0, 1, of_0);
  world.send(1, 0, of_1);
  const Token to_0 = world.recv(0, 1, at_0);
  const Token to_1 = world.recv(1, 0, at_1);
  ASSERT_TRUE(world.finish(0, 1, to_0));
  ASSERT_TRUE(world.finish(1, 0, to_1));
  EXPECT_EQ(of_0, at_1);
  EXPECT_EQ(of_1, at_0);
}

TEST(TcpMessages, View_LendsTheBytesUntilReleased) {
  TcpWorld world(2);
  std::vector<Bytes> sources;
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < 4; ++i) {
    sources.push_back(pattern(10'000 * i, i));
    world.send(0, 1, sources.back());
    tokens.push_back(world.post(1, 0, {TransferKind::kRecvView, 0, nullptr, sources[i].size()}));
  }
  for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(world.finish(1, 0, tokens[i]));
  for (std::size_t i = 0; i < 4; ++i) {
    const std::byte* view = world.end(1, 0).view(tokens[i]);
    ASSERT_NE(view, nullptr);
    EXPECT_EQ(Bytes(view, view + sources[i].size()), sources[i]);
    world.end(1, 0).release(tokens[i]);
  }
}

TEST(TcpMessages, GroupOfSendAndReceive_IsDoneWhenBothAre) {
  TcpWorld world(2);
  std::array<Bytes, 2> sources = {pattern(300, 1), pattern(300, 2)};
  std::array<Bytes, 2> targets = {Bytes(300), Bytes(300)};
  std::array<Token, 2> tokens{};
  for (int at = 0; at < 2; ++at) {
    const auto i = static_cast<std::size_t>(at);
    const std::array<Transfer, 2> group = {
        Transfer{TransferKind::kSend, 0, sources[i].data(), 300},
        Transfer{TransferKind::kRecv, 0, targets[i].data(), 300}};
    tokens[i] = *world.end(at, 1 - at).post(group);
    if (at == 0) {
      EXPECT_FALSE(*world.end(0, 1).poll(tokens[0]));
    }
  }
  ASSERT_TRUE(world.finish(0, 1, tokens[0]));
  ASSERT_TRUE(world.finish(1, 0, tokens[1]));
  EXPECT_EQ(targets[0], sources[1]);
  EXPECT_EQ(targets[1], sources[0]);
}

// Lane 1's messages stand before lane 0's in the connection, and nobody asks for them until lane 0
// is done: what a wait between lanes does.
TEST(TcpMessages, LaneNobodyReads_DoesNotHoldUpAnother) {
  TcpWorld world(2, {.window = 4});
  std::vector<Bytes> blocking;
  std::vector<Token> blocking_sends;
  for (std::size_t i = 0; i < 10; ++i) {
    blocking.push_back(pattern(400'000, i));
    blocking_sends.push_back(world.send(0, 1, blocking.back(), 1));
  }
  Bytes wanted = pattern(5000, 99);
  Bytes target(5000);
  world.send(0, 1, wanted, 0);
  ASSERT_TRUE(world.finish(1, 0, world.recv(1, 0, target, 0)));
  EXPECT_EQ(target, wanted);
  for (std::size_t i = 0; i < 10; ++i) {
    Bytes late(400'000);
    ASSERT_TRUE(world.finish(1, 0, world.recv(1, 0, late, 1)));
    EXPECT_EQ(late, blocking[i]) << i;
    ASSERT_TRUE(world.finish(0, 1, blocking_sends[i]));
  }
}

TEST(TcpMessages, UnwantedMessages_StayInTheSocketAndHoldTheSenderBack) {
  TcpWorld world(2, {.window = 64});
  Bytes source = pattern(1 << 20, 5);
  std::vector<Token> sends;
  for (int i = 0; i < 64; ++i) sends.push_back(world.send(0, 1, source));
  world.drive([looks = 0]() mutable { return ++looks > 2000; });
  EXPECT_FALSE(*world.end(0, 1).poll(sends.back()));
  EXPECT_EQ(world.end(1, 0).traffic().received_bytes, 0U);
  for (const Token sent : sends) {
    Bytes target(source.size());
    ASSERT_TRUE(world.finish(1, 0, world.recv(1, 0, target)));
    ASSERT_EQ(target, source);
    ASSERT_TRUE(world.finish(0, 1, sent));
  }
}

TEST(TcpMessages, LaterCall_WaitsUntilItsReceiverBeginsIt) {
  TcpWorld world(2);
  world.end(0, 1).begin({2, 2, sum_of(5)}, {});
  Bytes source = pattern(100, 3);
  Bytes target(100);
  world.send(0, 1, source);
  const Token received = world.recv(1, 0, target);
  world.drive([looks = 0]() mutable { return ++looks > 200; });
  EXPECT_FALSE(*world.end(1, 0).poll(received));
  EXPECT_EQ(world.end(1, 0).peer_call(2), sum_of(5));
  world.end(1, 0).begin({2, 2, sum_of(5)}, {});
  ASSERT_TRUE(world.finish(1, 0, received));
  EXPECT_EQ(source, target);
}

TEST(TcpMessages, Traffic_CountsPayloadExactlyPerPeer) {
  TcpWorld world(3);
  std::uint64_t expected = 0;
  for (const std::size_t bytes : kSizes) {
    Bytes source = pattern(bytes, 1);
    Bytes target(bytes);
    world.send(2, 0, source);
    ASSERT_TRUE(world.finish(0, 2, world.recv(0, 2, target)));
    expected += bytes;
  }
  EXPECT_EQ(world.end(2, 0).traffic().sent_bytes, expected);
  EXPECT_EQ(world.end(0, 2).traffic().received_bytes, expected);
  EXPECT_EQ(world.end(0, 2).traffic().sent_bytes, 0U);
  EXPECT_EQ(world.end(1, 0).traffic().received_bytes, 0U);
  EXPECT_EQ(world.rank(1).endpoint(1), nullptr);
  EXPECT_EQ(world.rank(1).endpoint(7), nullptr);
  EXPECT_EQ(world.end(1, 0).kind(), TransportKind::kTcp);
}

TEST(TcpMessages, Announcement_IsKnownToThePeer) {
  TcpWorld world(2);
  EXPECT_FALSE(world.end(1, 0).peer_call(1));
  ASSERT_TRUE(world.end(0, 1).announce_call().ok());
  ASSERT_TRUE(world.drive([&] { return world.end(1, 0).peer_call(1).has_value(); }));
  EXPECT_EQ(world.end(1, 0).peer_call(1), sum_of(1009));
}

TEST(TcpMessages, TooLargeOrStored_IsRefusedAtThePost) {
  TcpWorld world(2, {.max_message_bytes = 1000});
  Bytes data(1001);
  Endpoint& end = world.end(0, 1);
  const Transfer large{TransferKind::kSend, 0, data.data(), data.size()};
  EXPECT_EQ(end.post({&large, 1}).status().code(), ErrorCode::kInvalidArgument);
  const Transfer stored{TransferKind::kStored, 0, nullptr, 0};
  EXPECT_EQ(end.post({&stored, 1}).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(end.peer_store(StoreRegion::kOutput, 0, 1), nullptr);
  EXPECT_TRUE(world.rank(0).progress().ok());
}

TEST(TcpMessages, SleepingRank_IsWokenByData) {
  TcpWorld world(2);
  Bytes source = pattern(10, 1);
  Bytes target(10);
  const Token received = world.recv(1, 0, target);
  world.drive([looks = 0]() mutable { return ++looks > 50; });
  EXPECT_FALSE(world.rank(1).arm());
  world.send(0, 1, source);
  bool ready = false;
  for (const Deadline deadline = after_ms(60'000);
       !ready && std::chrono::steady_clock::now() < deadline;)
    ready = world.rank(1).arm();
  EXPECT_TRUE(ready);
  world.rank(1).disarm();
  ASSERT_TRUE(world.finish(1, 0, received));
  EXPECT_FALSE(world.rank(1).arm());
}

}  // namespace
}  // namespace rondo::transport
