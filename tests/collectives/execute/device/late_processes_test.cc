// Every collective by every built-in algorithm between processes on emulated devices, whose streams
// run late in another way for each seed: the bits of the host. Memory and events go by handles, and
// between two hosts by page-locked memory.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/collectives/execute/device/connected_ranks.h"
#include "tests/collectives/execute/device/late_calls.h"
#include "tests/collectives/execute/device/late_rank.h"

namespace rondo::execute {
namespace {

/// Another process, which says a text and is told that of all.
class Child {
 public:
  /// `work` gets the socket to its parent. Failures in it are this test's.
  explicit Child(const std::function<void(int socket)>& work) {
    std::array<int, 2> sockets{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets.data()), 0);
    std::fflush(stdout);  // what is there is the parent's
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(sockets[0]);
      work(sockets[1]);
      std::fflush(stdout);
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    ::close(sockets[1]);
    socket_ = sockets[0];
  }
  Child(Child&& other) noexcept : pid_(other.pid_), socket_(std::exchange(other.socket_, -1)) {}
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (socket_ >= 0) ::close(socket_);
  }
  int socket() const { return socket_; }
  int exit_status() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
};

void say(int socket, const std::string& text) {
  EXPECT_EQ(::send(socket, text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

std::string hear(int socket) {
  std::array<char, 1'024> buffer{};
  const ssize_t bytes = ::recv(socket, buffer.data(), buffer.size(), 0);
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))};
}

/// One rank: meets the others by way of the parent.
void run_rank(LateRank& rank, int world, int socket, const std::vector<LateCall>& calls) {
  say(socket, rank.addresses());
  std::vector<std::string> addresses;
  for (int peer = 0; peer < world; ++peer) addresses.push_back(hear(socket));
  rank.connect(addresses);
  for (const LateCall& late : calls) {
    if (testing::Test::HasFailure()) return;
    const auto driver = late_driver(late.seed, 1 + rank.rank());
    const Status bound = rank.bind(*late.call, *driver);
    EXPECT_TRUE(bound.ok()) << late.text() << ": " << bound.to_string();
    check(late, rank.rank(), rank.run(*late.call, late.manner));
    rank.leave();
  }
}

class LateProcesses : public testing::TestWithParam<const algorithms::Algorithm*> {
 protected:
  void check_way(LateWay way) const {
    const std::string why = why_skipped(*GetParam(), way);
    if (!why.empty()) GTEST_SKIP() << why;
    for (const schedule::SharedLayout& layout : layouts_of(way)) {
      const std::vector<LateCall> calls = late_calls(*GetParam(), way, layout);
      if (!calls.empty()) check_world(layout, calls);
      if (HasFailure()) return;
    }
  }

 private:
  static void check_world(const schedule::SharedLayout& layout,
                          const std::vector<LateCall>& calls) {
    const std::uint64_t job = next_job();
    std::vector<Child> ranks;
    for (int rank = 0; rank < layout->world(); ++rank) {
      ranks.emplace_back([&](int socket) {
        LateRank own(transport::TransportKind::kShm, layout, job, rank);
        run_rank(own, layout->world(), socket, calls);
      });
    }
    std::vector<std::string> addresses;
    for (const Child& rank : ranks) addresses.push_back(hear(rank.socket()));
    for (const Child& rank : ranks)
      for (const std::string& address : addresses) say(rank.socket(), address);
    for (const Child& rank : ranks) EXPECT_EQ(rank.exit_status(), 0);
  }
};

TEST_P(LateProcesses, OfOneHost_HaveTheBitsOfTheHost) { check_way(LateWay::kProcessesOfOneHost); }
TEST_P(LateProcesses, OfTwoHosts_HaveTheBitsOfTheHost) { check_way(LateWay::kProcessesOfTwoHosts); }

INSTANTIATE_TEST_SUITE_P(, LateProcesses, testing::ValuesIn(algorithms_of_devices()), name_of);

}  // namespace
}  // namespace rondo::execute
