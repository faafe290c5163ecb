// Messages that are written at once, without the queue: until the socket takes only a part of one,
// whose rest goes the other way.

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <vector>

#include "tests/transport/tcp/tcp_world.h"
#include "transport/tcp/inbox.h"
#include "transport/tcp/outbox.h"

namespace rondo::transport {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t kWindow = 8192;
constexpr std::size_t kBytes = 2000;
constexpr std::size_t kWhole = kFrameHeaderBytes + kBytes;
const Call kCall{1, 2, sum_of(1009)};

/// An outbox and the inbox of its peer, joined by one connection.
class TcpAtOnce : public ::testing::Test {
 protected:
  TcpAtOnce() {
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    socklen_t bytes = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener.get(), generic, bytes), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), generic, &bytes), 0);
    near_.emplace_back(::socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(near_[0].get(), generic, bytes), 0);
    far_.emplace_back(::accept(listener.get(), nullptr, nullptr));
    inbox_.begin(kCall);
    // The queue makes the lane.
    outbox_.send(header(), nullptr, OutFrame::kNoGroup);
    EXPECT_TRUE(outbox_.flush(near_));
  }

  static FrameHeader header(std::size_t bytes = 0) {
    return {.kind = FrameKind::kData, .payload_bytes = bytes, .call = kCall};
  }
  std::size_t at_once(const Bytes& message) {
    return outbox_.send_at_once(header(message.size()), message, near_[0]);
  }
  /// In the order in which they were sent; the lane's first is empty.
  void expect_arrival(std::size_t count) {
    Bytes target(kBytes);
    for (std::size_t i = 0; i <= count; ++i) {
      const std::uint32_t group = receives_.acquire(1);
      const std::size_t bytes = i == 0 ? 0 : kBytes;
      ASSERT_TRUE(inbox_.expect(0, {.data = target.data(), .bytes = bytes, .group = group}).ok());
      while (receives_[group].remaining != 0) {
        ASSERT_TRUE(outbox_.flush(near_));
        ASSERT_TRUE(inbox_.pump(far_).ok());
      }
      receives_.release(group);
      if (i == 0) continue;
      ASSERT_EQ(target, pattern(kBytes, i)) << "message " << i;
    }
  }

  std::vector<UniqueFd> near_;
  std::vector<UniqueFd> far_;
  TcpGroups sends_{64};
  TcpGroups receives_{64};
  CallHistory peer_calls_;
  CallHistory own_calls_;
  Outbox outbox_{kWindow, 1, sends_};
  Inbox inbox_{0,           1,         {kWindow, std::size_t{1} << 30, 1}, receives_, outbox_,
               peer_calls_, own_calls_};
};

TEST_F(TcpAtOnce, MessageOfWhichAPartWasWritten_GoesOn_AndSoDoWhatFollows) {
  std::size_t number = 1;
  std::size_t written = kWhole;
  Bytes message;
  for (; written == kWhole && number < kWindow - 2; ++number) {
    message = pattern(kBytes, number);
    written = at_once(message);
  }
  ASSERT_GT(written, 0U) << "the socket took whole messages only: " << number;
  ASSERT_LT(written, kWhole);
  const std::uint32_t group = sends_.acquire(1);
  EXPECT_TRUE(outbox_.send(header(kBytes), message.data(), group, written));
  EXPECT_EQ(at_once(pattern(kBytes, number)), 0U) << "another one waits before it";
  const Bytes last = pattern(kBytes, number);
  EXPECT_TRUE(outbox_.send(header(kBytes), last.data(), OutFrame::kNoGroup));
  expect_arrival(number);
  EXPECT_EQ(sends_[group].remaining, 0U);
  EXPECT_EQ(outbox_.sent_bytes(), number * kBytes);
}

TEST_F(TcpAtOnce, LongMessage_IsLeftToTheQueue) {
  EXPECT_EQ(at_once(pattern(4096, 1)), 0U);
  EXPECT_EQ(at_once(pattern(kBytes, 1)), kWhole);
  expect_arrival(1);
}

}  // namespace
}  // namespace rondo::transport
