// Credit: who may send how far ahead, and how it is told.

#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include "tests/transport/tcp/played_peer.h"
#include "transport/wire/control.h"

namespace rondo::transport {
namespace {

/// The peer's window is of four messages: it is told of two at a time.
class TcpCredit : public PlayedPeer {
 protected:
  static constexpr std::size_t kBytes = 8;
  static constexpr std::size_t kFrameBytes = kFrameHeaderBytes + kBytes;

  void send() {
    static const Bytes message = pattern(kBytes, 3);
    const Transfer transfer{TransferKind::kSend, 0, const_cast<std::byte*>(message.data()), kBytes};
    tokens_.push_back(*end_->post({&transfer, 1}));
  }
  void receive(std::uint32_t number, std::uint32_t consumed) {
    Bytes target(kBytes);
    const Token token = recv(target);
    write_header({.payload_bytes = kBytes,
                  .message = number,
                  .consumed = consumed,
                  .call = {1, 2, sum_of(1009)}});
    write_all(data_, pattern(kBytes, number));
    until([&] { return *end_->poll(token); });
  }
  /// Whole messages that rank 0 has written, once there are `least`; they are taken from the
  /// connection.
  std::size_t sent(std::size_t least) {
    int waiting = 0;
    until([&] {
      return ::ioctl(data_.get(), FIONREAD, &waiting) != 0 ||
             static_cast<std::size_t>(waiting) >= least * kFrameBytes;
    });
    Bytes bytes(static_cast<std::size_t>(waiting));
    EXPECT_TRUE(waiting == 0 || read_all(data_, bytes));
    return bytes.size() / kFrameBytes;
  }
  /// What the peer has been told of lane 0 by messages of their own.
  std::vector<std::uint64_t> told() {
    rank_0_.reset();  // what it has written is there then, and an end
    std::vector<std::uint64_t> all;
    ControlReader reader(0, 2);
    Bytes bytes(4096);
    for (ssize_t got = 1; got > 0;) {
      got = ::recv(control_.get(), bytes.data(), bytes.size(), 0);
      std::span<const std::byte> left(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
      while (!left.empty()) {
        const auto message = reader.step(left);
        if (!message.ok()) ADD_FAILURE() << message.status().to_string();
        if (!message.ok() || !*message) break;
        if (const auto* credit = std::get_if<Credit>(&**message)) all.push_back(credit->consumed);
      }
    }
    return all;
  }
  template <class Done>
  void until(const Done& done) {
    const Deadline deadline = after_ms(60'000);
    while (!done() && std::chrono::steady_clock::now() < deadline)
      ASSERT_TRUE(rank_0_->progress().ok());
  }

  std::vector<Token> tokens_;
};

TEST_F(TcpCredit, PeersMessage_LetsWaitingOnesGo) {
  for (int i = 0; i < 6; ++i) send();
  EXPECT_EQ(sent(4), 4U);
  receive(0, 1);
  EXPECT_EQ(sent(1), 1U);
  // More than it can have consumed makes the window no larger.
  for (int i = 0; i < 10; ++i) send();
  receive(1, 1'000);
  EXPECT_EQ(sent(4), 4U);
}

TEST_F(TcpCredit, OldNews_TakesNothingBack) {
  for (int i = 0; i < 8; ++i) send();
  EXPECT_EQ(sent(4), 4U);
  receive(0, 4);
  EXPECT_EQ(sent(4), 4U);
  receive(1, 2);
  receive(2, 5);
  send();
  EXPECT_EQ(sent(1), 1U);
}

TEST_F(TcpCredit, WhatMessagesHaveTold_NeedsNoMessageOfItsOwn) {
  for (std::uint32_t turn = 0; turn < 40; ++turn) {
    send();
    receive(turn, turn + 1);
  }
  EXPECT_EQ(sent(40), 40U);
  EXPECT_TRUE(told().empty());
}

/// It may be unable to read our messages as long as it has no credit.
TEST_F(TcpCredit, WhatThePeerMayNotHaveRead_IsToldAsWell) {
  send();
  for (std::uint32_t number = 0; number < 4; ++number) {
    receive(number, 0);
    send();
  }
  EXPECT_EQ(told(), (std::vector<std::uint64_t>{2, 4}));
}

TEST_F(TcpCredit, PeerThatOnlySends_IsTold) {
  for (std::uint32_t number = 0; number < 6; ++number) receive(number, 0);
  EXPECT_EQ(told(), (std::vector<std::uint64_t>{2, 4, 6}));
}

}  // namespace
}  // namespace rondo::transport
