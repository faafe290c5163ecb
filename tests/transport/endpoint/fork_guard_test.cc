#include "transport/endpoint/fork_guard.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <functional>

#include "core/unique_fd.h"

namespace rondo::transport {
namespace {

class ForkGuards : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(ForkGuard::prepare().ok());
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    own_ = UniqueFd(ends[0]);
    peers_ = UniqueFd(ends[1]);
  }

  /// What `check` returns in a forked child; -1 where that doesn't end by itself.
  static int in_child(const std::function<int()>& check) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(check());
    int end = -1;
    ::waitpid(child, &end, 0);
    return WIFEXITED(end) ? WEXITSTATUS(end) : -1;
  }
  static bool sends(const UniqueFd& socket) {
    return ::send(socket.get(), "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
  }
  bool peer_sees_end() const {
    pollfd look{.fd = peers_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&look, 1, 10'000) == 1 && (look.revents & POLLHUP) != 0;
  }

  UniqueFd own_;
  UniqueFd peers_;
};

TEST_F(ForkGuards, Connection_isNotTheChilds_andGoesOnHere) {
  const ForkGuard guard({own_.get()});
  EXPECT_FALSE(guard.is_in_child());
  EXPECT_EQ(in_child([&] {
              ::shutdown(own_.get(), SHUT_RDWR);
              return !sends(own_) && guard.is_in_child() ? 0 : 1;
            }),
            0);
  EXPECT_TRUE(sends(own_));
}

TEST_F(ForkGuards, Number_staysTakenInTheChild) {
  const ForkGuard guard({own_.get()});
  EXPECT_EQ(in_child([&] {
              const UniqueFd next(::dup(STDERR_FILENO));
              return next.get() == own_.get() ? 1 : 0;
            }),
            0);
}

TEST_F(ForkGuards, Connection_endsWithItsOwner_whileAChildLives) {
  pid_t child = -1;
  {
    const ForkGuard guard({own_.get()});
    child = ::fork();
    if (child == 0) {
      ::close(peers_.get());
      ::pause();
    }
  }
  own_.reset();
  EXPECT_TRUE(peer_sees_end());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(ForkGuards, WatchedDescriptors_stayWatched_whateverTheChildDoes) {
  const UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{.events = EPOLLIN, .data = {}};
  ASSERT_EQ(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, own_.get(), &event), 0);
  const ForkGuard guard({own_.get(), epoll.get()});
  EXPECT_EQ(in_child([&] {
              return ::epoll_ctl(epoll.get(), EPOLL_CTL_DEL, own_.get(), nullptr) == 0 ? 1 : 0;
            }),
            0);
  ASSERT_TRUE(sends(peers_));
  EXPECT_EQ(::epoll_wait(epoll.get(), &event, 1, 0), 1);
}

TEST_F(ForkGuards, ProcessWithoutRoomForMore_keepsItToItself) {
  EXPECT_EQ(in_child([&] {
              const rlimit few{.rlim_cur = 64, .rlim_max = 64};
              ::setrlimit(RLIMIT_NOFILE, &few);
              while (::dup(STDERR_FILENO) >= 0) {
              }
              const ForkGuard of_child({peers_.get()});
              return in_child([&] { return sends(peers_) ? 1 : 0; });
            }),
            0);
}

/// As a helper that closes all it has inherited, and opens files of its own.
TEST_F(ForkGuards, NumbersThatAChildUsesAnew_areItsOwnAtItsNextFork) {
  const ForkGuard guard({own_.get()});
  EXPECT_EQ(in_child([&] {
              std::array<int, 2> ends{};
              if (::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) != 0) return 2;
              if (::dup2(ends[0], own_.get()) < 0) return 3;
              return in_child([&] { return sends(own_) ? 0 : 1; });
            }),
            0);
}

TEST_F(ForkGuards, OnceTheGuardHasGone_childrenHaveItAsAnyOther) {
  { const ForkGuard guard({own_.get()}); }
  EXPECT_EQ(in_child([&] { return sends(own_) ? 0 : 1; }), 0);
}

}  // namespace
}  // namespace rondo::transport
