// Two real processes: the test is rank 0, a forked child is rank 1.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "tests/transport/tcp/tcp_world.h"

namespace rondo::transport {
namespace {

/// Says `text` and returns what the other side says.
std::string swap_text(int socket, const std::string& text) {
  std::array<char, 256> buffer{};
  if (::send(socket, text.data(), text.size(), MSG_NOSIGNAL) < 0) return {};
  const auto got = ::recv(socket, buffer.data(), buffer.size(), 0);
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

std::unique_ptr<TcpTransport> join(int rank, int socket) {
  auto transport = listen_as({.job = 21, .epoch = 2, .rank = rank, .world = 2});
  const std::vector<PeerAddress> peers{{1 - rank, swap_text(socket, transport->address())}};
  if (!transport->connect(peers, after_ms(20'000)).ok()) return nullptr;
  transport->endpoint(1 - rank)->begin({1, 2, sum_of(1009)}, {});
  return transport;
}

bool finish(TcpTransport& transport, Endpoint& endpoint, const Transfer& transfer) {
  const auto token = endpoint.post({&transfer, 1});
  if (!token.ok()) return false;
  for (const Deadline deadline = after_ms(20'000); std::chrono::steady_clock::now() < deadline;) {
    if (!transport.progress().ok()) return false;
    const auto done = endpoint.poll(*token);
    if (!done.ok()) return false;
    if (*done) return true;
    std::this_thread::yield();
  }
  return false;
}

class TcpProcesses : public testing::Test {
 protected:
  using Child = std::function<int(TcpTransport&, int socket)>;

  /// Forks rank 1, which runs `child` and ends with what it returns, and joins it as rank 0.
  void start(const Child& child) {
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets_.data()), 0);
    child_ = ::fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      ::close(sockets_[0]);
      int result = 100;
      {
        const auto transport = join(1, sockets_[1]);
        if (transport) result = child(*transport, sockets_[1]);
      }
      ::_exit(result);
    }
    ::close(sockets_[1]);
    own_ = join(0, sockets_[0]);
    ASSERT_NE(own_, nullptr);
  }
  int wait_for_child() {
    int status = -1;
    if (child_ > 0) ::waitpid(child_, &status, 0);
    child_ = -1;
    return status;
  }
  void TearDown() override {
    if (child_ > 0) ::kill(child_, SIGKILL);
    wait_for_child();
    ::close(sockets_[0]);
  }
  /// The first error of progress(), which must come within two seconds.
  Status first_error() {
    const Deadline deadline = after_ms(2000);
    for (Status status; std::chrono::steady_clock::now() < deadline;) {
      status = own_->progress();
      if (!status.ok()) return status;
      std::this_thread::yield();
    }
    return {};
  }

  pid_t child_ = -1;
  std::array<int, 2> sockets_{-1, -1};
  std::unique_ptr<TcpTransport> own_;
};

// The system closes no connection that a child of the peer's holds, too.
TEST_F(TcpProcesses, Peer_killedWhileItsChildLives_isLost) {
  start([](TcpTransport&, int socket) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) ::pause();
    swap_text(socket, std::to_string(grandchild));
    ::pause();
    return 0;
  });
  const pid_t grandchild = std::stoi(swap_text(sockets_[0], "go"));
  ::kill(child_, SIGKILL);
  wait_for_child();
  const Status error = first_error();
  EXPECT_EQ(error.code(), ErrorCode::kPeerLost);
  EXPECT_EQ(error.culprit(), 1);
  ::kill(grandchild, SIGKILL);
}

TEST_F(TcpProcesses, ChildOfThePeer_endingInOrder_saysNothingInItsName) {
  start([](TcpTransport& transport, int socket) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) return 0;  // with its copy of the transport
    ::waitpid(grandchild, nullptr, 0);
    swap_text(socket, "it has ended");
    std::vector<std::byte> message = pattern(300, 4);
    const Transfer send{TransferKind::kSend, 0, message.data(), message.size()};
    return finish(transport, *transport.endpoint(0), send) ? 0 : 1;
  });
  swap_text(sockets_[0], "go on");
  std::vector<std::byte> message(300);
  const Transfer recv{TransferKind::kRecv, 0, message.data(), message.size()};
  EXPECT_TRUE(finish(*own_, *own_->endpoint(1), recv));
  EXPECT_EQ(message, pattern(300, 4));
  EXPECT_EQ(wait_for_child(), 0);
}

}  // namespace
}  // namespace rondo::transport
