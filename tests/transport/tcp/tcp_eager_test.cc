// Messages that are sent and received at once: without credit, empty, of another size, and to a
// peer that leaves.

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <thread>

#include "tests/transport/tcp/played_peer.h"
#include "transport/tcp/tcp_endpoint.h"
#include "transport/tcp/tcp_options.h"
#include "transport/wire/control.h"

namespace rondo::transport {
namespace {

class TcpEager : public PlayedPeer {
 protected:
  std::size_t waiting_bytes() const {
    int bytes = 0;
    EXPECT_EQ(::ioctl(data_.get(), FIONREAD, &bytes), 0);
    return static_cast<std::size_t>(bytes);
  }
  Result<const std::byte*> received(std::size_t bytes) {
    const Deadline deadline = after_ms(60'000);
    while (std::chrono::steady_clock::now() < deadline) {
      RONDO_TRY(rank_0_->progress());
      RONDO_ASSIGN(const std::byte* const data, end_->recv_eager(bytes));
      if (data != nullptr) return data;
    }
    return nullptr;
  }
};

TEST_F(TcpEager, WithoutCredit_WaitsForIt) {
  const Bytes message = pattern(8, 1);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(*end_->send_eager(message));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(rank_0_->progress().ok());
    EXPECT_FALSE(*end_->send_eager(message));
  }
  Bytes sent(4 * (kFrameHeaderBytes + 8));
  ASSERT_TRUE(read_all(data_, sent));
  EXPECT_EQ(waiting_bytes(), 0U);
  write_header({.payload_bytes = 0, .consumed = 1, .call = {1, 2, sum_of(1009)}});
  ASSERT_TRUE(received(0).ok());
  end_->release_eager();
  EXPECT_TRUE(*end_->send_eager(message));
  Bytes last(kFrameHeaderBytes + 8);
  ASSERT_TRUE(read_all(data_, last));
  EXPECT_TRUE(std::equal(message.begin(), message.end(), last.end() - 8));
}

TEST_F(TcpEager, EmptyMessages_ComeAndGo) {
  EXPECT_TRUE(*end_->send_eager({}));
  Bytes sent(kFrameHeaderBytes);
  EXPECT_TRUE(read_all(data_, sent));
  EXPECT_EQ(*end_->recv_eager(0), nullptr);
  write_header(0);
  const auto got = received(0);
  ASSERT_TRUE(got.ok());
  EXPECT_NE(*got, nullptr);
  end_->release_eager();
}

/// A peer whose first message, number 0, has been received: of what follows, all may be taken at
/// once, without the transport's progress.
class TcpEagerTaken : public TcpEager {
 protected:
  void SetUp() override {
    TcpEager::SetUp();
    const int at_once = 1;
    ASSERT_EQ(::setsockopt(data_.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once), 0);
    write_header(0);
    const auto first = received(0);
    ASSERT_TRUE(first.ok() && *first != nullptr) << first.status().to_string();
    end_->release_eager();
  }
  /// Until the other side's socket has it.
  void write_through(std::span<const std::byte> bytes) const {
    const std::size_t before = unread();
    write_all(data_, bytes);
    while (unread() < before + bytes.size()) std::this_thread::yield();
  }
  /// Of what the test wrote, in the socket at the other end.
  std::size_t unread() const {
    int bytes = 0;
    const int socket = static_cast<const TcpEndpoint&>(*end_).data_socket(0);
    EXPECT_EQ(::ioctl(socket, FIONREAD, &bytes), 0);
    return static_cast<std::size_t>(bytes);
  }
  static Bytes frame_of(const FrameHeader& header, const Bytes& payload) {
    Bytes frame(kFrameHeaderBytes);
    encode_frame_header(header, std::span(frame).first<kFrameHeaderBytes>());
    frame.insert(frame.end(), payload.begin(), payload.end());
    return frame;
  }
  void write_message(const FrameHeader& header, const Bytes& payload) const {
    write_through(frame_of(header, payload));
  }
  static FrameHeader of_call(std::uint64_t sequence, std::uint32_t message, std::size_t bytes) {
    return {.payload_bytes = bytes, .message = message, .call = {sequence, 2, sum_of(1009)}};
  }
  void expect_received(const Bytes& message) {
    const auto got = received(message.size());
    ASSERT_TRUE(got.ok() && *got != nullptr) << got.status().to_string();
    EXPECT_TRUE(std::equal(message.begin(), message.end(), *got));
    end_->release_eager();
  }
  /// It is there, and is taken, now.
  void expect_taken(const Bytes& message) {
    const auto got = end_->recv_eager(message.size());
    ASSERT_TRUE(got.ok()) << got.status().to_string();
    ASSERT_NE(*got, nullptr);
    EXPECT_TRUE(std::equal(message.begin(), message.end(), *got));
    end_->release_eager();
  }
};

TEST_F(TcpEagerTaken, WhatHasCome_IsTakenByOneRead) {
  write_message(of_call(1, 1, 8), pattern(8, 1));
  write_message(of_call(1, 2, 700), pattern(700, 2));
  expect_taken(pattern(8, 1));
  EXPECT_EQ(end_->traffic().received_bytes, 8U);
  expect_taken(pattern(700, 2));
  EXPECT_EQ(end_->traffic().received_bytes, 708U);
  // The peer is told by the next message that three have been consumed.
  EXPECT_TRUE(*end_->send_eager(pattern(8, 3)));
  Bytes frame(kFrameHeaderBytes + 8);
  ASSERT_TRUE(read_all(data_, frame));
  FrameReader reader(1, 8);
  auto bytes = std::span<const std::byte>(frame);
  ASSERT_TRUE(*reader.step(bytes));
  EXPECT_EQ(reader.header().consumed, 3U);
}

TEST_F(TcpEagerTaken, MessageOfALaterCall_IsTakenInIt) {
  write_message(of_call(2, 1, 8), pattern(8, 1));
  EXPECT_EQ(*end_->recv_eager(8), nullptr);
  end_->begin({2, 2, sum_of(1009)}, {});
  expect_taken(pattern(8, 1));
  Bytes both = frame_of(of_call(2, 2, 9), pattern(9, 2));
  const Bytes later = frame_of(of_call(3, 3, 10), pattern(10, 3));
  both.insert(both.end(), later.begin(), later.end());
  write_through(both);
  expect_taken(pattern(9, 2));
  end_->begin({3, 2, sum_of(1009)}, {});
  expect_taken(pattern(10, 3));
}

TEST_F(TcpEagerTaken, MessageOfAnotherCallOfThatNumber_IsAMismatch) {
  write_message({.payload_bytes = 8, .message = 1, .call = {1, 2, sum_of(1010)}}, pattern(8, 1));
  const auto got = end_->recv_eager(8);
  EXPECT_EQ(got.status().code(), ErrorCode::kMismatch) << got.status().to_string();
  EXPECT_EQ(got.status().culprit(), 1);
}

TEST_F(TcpEagerTaken, BehindAnotherLanes_IsReceivedAllTheSame) {
  FrameHeader other = of_call(1, 0, 5);
  other.lane = 1;
  write_message(other, pattern(5, 1));
  write_message(of_call(1, 1, 8), pattern(8, 2));
  expect_received(pattern(8, 2));
}

TEST_F(TcpEagerTaken, MessageInParts_IsReceivedAllTheSame) {
  std::uint32_t number = 0;
  for (const std::size_t begun : {std::size_t{20}, kFrameHeaderBytes, kFrameHeaderBytes + 3}) {
    const Bytes message = pattern(8, begun);
    const Bytes frame = frame_of(of_call(1, ++number, 8), message);
    write_through(std::span(frame).first(begun));
    EXPECT_EQ(*end_->recv_eager(8), nullptr);
    write_through(std::span(frame).subspan(begun));
    expect_received(message);
  }
}

TEST_F(TcpEagerTaken, BesideAReceiveOfNoCall_IsTaken_AndWhatFollowsReachesIt) {
  Bytes free(6);
  const Transfer transfer{TransferKind::kRecv, kFirstFreeLane, free.data(), free.size()};
  const Token token = *end_->post({&transfer, 1});
  Bytes both = frame_of(of_call(1, 1, 8), pattern(8, 1));
  const Bytes other =
      frame_of({.lane = kFirstFreeLane, .payload_bytes = 6, .call = kNoCall}, pattern(6, 2));
  both.insert(both.end(), other.begin(), other.end());
  write_through(both);
  expect_taken(pattern(8, 1));
  EXPECT_TRUE(*end_->poll(token));
  EXPECT_EQ(free, pattern(6, 2));
}

/// Else a rank that finds all that it asks for would look at nothing else.
TEST_F(TcpEagerTaken, OfManyMessages_OneIsLeftToTheProgress) {
  int left = 0;
  for (std::uint32_t number = 1; number <= 100; ++number) {
    const Bytes message = pattern(8, number);
    write_message(of_call(1, number, 8), message);
    const std::byte* got = *end_->recv_eager(8);
    if (got == nullptr) {
      ++left;
      ASSERT_TRUE(rank_0_->progress().ok());
      got = *end_->recv_eager(8);
    }
    ASSERT_NE(got, nullptr);
    EXPECT_TRUE(std::equal(message.begin(), message.end(), got));
    end_->release_eager();
  }
  EXPECT_EQ(left, 3);
}

TEST_F(TcpEagerTaken, Credit_LetsOutWhatWaitsForIt) {
  const Bytes message = pattern(8, 1);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(*end_->send_eager(message));
  EXPECT_FALSE(*end_->send_eager(message));
  Bytes sent(4 * (kFrameHeaderBytes + 8));
  ASSERT_TRUE(read_all(data_, sent));
  FrameHeader header = of_call(1, 1, 3);
  header.consumed = 1;
  write_message(header, pattern(3, 2));
  expect_taken(pattern(3, 2));
  EXPECT_EQ(waiting_bytes(), kFrameHeaderBytes + 8);
}

TEST_F(TcpEager, MessageOfAnotherSize_IsAMismatch) {
  EXPECT_EQ(*end_->recv_eager(8), nullptr);
  write_header(9);
  const auto got = received(8);
  EXPECT_EQ(got.status().code(), ErrorCode::kMismatch) << got.status().to_string();
  EXPECT_EQ(got.status().culprit(), 1);
}

TEST_F(TcpEager, PeerThatIsGone_IsLostByName) {
  EXPECT_EQ(*end_->recv_eager(8), nullptr);
  data_.reset();
  control_.reset();
  const auto got = received(8);
  EXPECT_EQ(got.status().code(), ErrorCode::kPeerLost) << got.status().to_string();
  EXPECT_FALSE(end_->send_eager(pattern(8, 1)).ok());
}

/// Both have sent more than sockets hold to a peer that asks for nothing, and then enter a call
/// that sends before it receives.
TEST(TcpEagerPair, BehindMessagesNobodyAskedFor_IsSent) {
  TcpWorld world(2);
  const Bytes large = pattern(std::size_t{512} << 10, 1);
  const std::size_t many = kBufferedWindows * world.end(0, 1).window();
  for (std::size_t i = 0; i < many; ++i) {
    for (const int rank : {0, 1})
      world.post(
          rank, 1 - rank,
          {TransferKind::kSend, kBufferedLane, const_cast<std::byte*>(large.data()), large.size()});
  }
  const Bytes small = pattern(8, 2);
  std::array<bool, 2> sent{}, received{};
  const auto go_on = [&](int rank) {
    Endpoint& end = world.end(rank, 1 - rank);
    const auto at = static_cast<std::size_t>(rank);
    if (!sent[at]) sent[at] = *end.send_eager(small);
    if (!sent[at] || received[at]) return;
    const std::byte* const got = *end.recv_eager(small.size());
    if (got == nullptr) return;
    received[at] = true;
    EXPECT_TRUE(std::equal(small.begin(), small.end(), got));
    end.release_eager();
  };
  EXPECT_TRUE(world.drive([&] {
    go_on(0);
    go_on(1);
    return received[0] && received[1];
  }));
}

/// Short messages go by the first connection, longer ones by whichever has room: each may come
/// before those that were sent before it.
TEST(TcpEagerPair, ByThreeConnections_MessagesComeInOrder) {
  TcpOptions options;
  options.sockets = 3;
  TcpWorld world(2, options);
  constexpr std::array<std::size_t, 5> kSizes{8, 5000, 300, 8192, 0};
  constexpr std::size_t kMessages = 600;
  const auto message = [&](std::size_t number) {
    return pattern(kSizes[number % kSizes.size()], number);
  };
  std::size_t sent = 0;
  std::size_t received = 0;
  Endpoint& from = world.end(0, 1);
  Endpoint& to = world.end(1, 0);
  EXPECT_TRUE(world.drive([&] {
    while (sent < kMessages && *from.send_eager(message(sent))) ++sent;
    while (received < kMessages) {
      const Bytes expected = message(received);
      const std::byte* const got = *to.recv_eager(expected.size());
      if (got == nullptr) break;
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), got)) << "message " << received;
      to.release_eager();
      ++received;
    }
    return received == kMessages;
  }));
}

}  // namespace
}  // namespace rondo::transport
