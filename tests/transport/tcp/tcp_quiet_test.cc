// Peers that nothing is wanted of are passed over: a rank that waits for one of many looks at that
// one, and at the others from time to time. The peer is played by the test over two sockets.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "tests/transport/tcp/raw_socket.h"
#include "tests/transport/tcp/tcp_world.h"
#include "transport/tcp/tcp_endpoint.h"
#include "transport/wire/frame.h"

namespace rondo::transport {
namespace {

constexpr Call kCall{.sequence = 1, .epoch = 2, .fingerprint = {1, 8, 0, 0, 0, 1009}};
constexpr std::size_t kBytes = 8;

/// The ends of a connection: the endpoint's, which doesn't block, and the test's.
std::array<UniqueFd, 2> connection() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  EXPECT_EQ(::fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

class QuietPeer : public ::testing::Test {
 protected:
  QuietPeer() { end_->begin(kCall, {}); }

  static std::unique_ptr<TcpEndpoint> endpoint(UniqueFd control, UniqueFd data,
                                               CallHistory& calls) {
    JoinedPeer peer{
        .rank = 1, .address = "here", .window = 4, .max_message_bytes = std::size_t{1} << 20};
    peer.control = std::move(control);
    peer.data.push_back(std::move(data));
    const Identity own{.job = 0x5eed, .epoch = 2, .rank = 0, .world = 2};
    return std::make_unique<TcpEndpoint>(own, std::move(peer), TcpOptions(), calls);
  }
  void send(std::uint32_t number) {
    std::array<std::byte, kFrameHeaderBytes + kBytes> frame{};
    encode_frame_header({.payload_bytes = kBytes, .message = number, .call = kCall},
                        std::span(frame).first<kFrameHeaderBytes>());
    write_all(data_[1], frame);
  }
  Token receive() {
    const Transfer transfer{TransferKind::kRecv, 0, target_.data(), target_.size()};
    return end_->post({&transfer, 1}).value();
  }
  /// Whether the endpoint has asked the system to tell the peer anything beside the data.
  bool has_told() const {
    std::byte first{};
    return ::recv(control_[1].get(), &first, 1, MSG_DONTWAIT | MSG_PEEK) == 1;
  }

  std::array<UniqueFd, 2> control_ = connection();
  std::array<UniqueFd, 2> data_ = connection();
  std::array<std::byte, kBytes> target_{};
  CallHistory calls_;
  std::unique_ptr<TcpEndpoint> end_ = endpoint(std::move(control_[0]), std::move(data_[0]), calls_);
};

// Credit for half a window is due, and the peer isn't told of it: with nothing to send or to
// receive this rank doesn't turn to it at all.
TEST_F(QuietPeer, IsPassedOver_UntilEveryoneIsLookedAt) {
  send(0);
  send(1);
  const Token first = receive();
  ASSERT_TRUE(end_->progress(false).ok());
  EXPECT_TRUE(end_->poll(first).value()) << "it was asked for, and looked for";
  EXPECT_TRUE(end_->poll(receive()).value()) << "it had come with the first";
  ASSERT_TRUE(end_->progress(false).ok());
  EXPECT_FALSE(has_told()) << "nothing was wanted of it";
  ASSERT_TRUE(end_->progress(true).ok());
  EXPECT_TRUE(has_told());
}

// As soon as something is, no look leaves it out.
TEST_F(QuietPeer, IsLookedAtAgain_OnceAReceiveIsPosted) {
  send(0);
  ASSERT_TRUE(end_->progress(false).ok());
  const Token token = receive();
  EXPECT_FALSE(end_->poll(token).value()) << "nobody has read it";
  ASSERT_TRUE(end_->progress(false).ok());
  EXPECT_TRUE(end_->poll(token).value());
}

}  // namespace
}  // namespace rondo::transport
