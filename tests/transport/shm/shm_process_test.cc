// Two real processes: the test is rank 0, a forked child is rank 1.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "tests/transport/ring/conformance.h"
#include "tests/transport/shm/shm_world.h"
#include "transport/shm/registered_pool.h"

namespace rondo::transport {
namespace {

// Says `text` and returns what the other side says.
std::string swap_text(int socket, const std::string& text) {
  std::array<char, 256> buffer{};
  if (::send(socket, text.data(), text.size(), MSG_NOSIGNAL) < 0) return {};
  const auto got = ::recv(socket, buffer.data(), buffer.size(), 0);
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

template <typename World>
std::unique_ptr<Transport> join(int rank, int socket) {
  auto transport = World::make({.job = 21, .epoch = 1, .rank = rank, .world = 2}).value();
  const std::vector<PeerAddress> peers{
      {.rank = 1 - rank, .address = swap_text(socket, transport->address())}};
  if (!transport->connect(peers, in_seconds(20)).ok()) return nullptr;
  transport->endpoint(1 - rank)->begin(call_number(1), {});
  return transport;
}

/// In a thread that the kernel gives no descriptors of processes, as a container's filter does not;
/// null also where no such filter can be set.
template <typename World>
std::unique_ptr<Transport> join_unable_to_watch(int rank, int socket) {
  std::unique_ptr<Transport> own;
  std::thread([&] {
    std::array<sock_filter, 4> filter{
        {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
    const sock_fprog program{.len = filter.size(), .filter = filter.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      return;
    own = join<World>(rank, socket);
  }).join();
  return own;
}

bool finish(Transport& transport, Endpoint& endpoint, Token token) {
  for (const Deadline deadline = in_seconds(20); std::chrono::steady_clock::now() < deadline;) {
    if (!transport.progress().ok()) return false;
    const auto done = endpoint.poll(token);
    if (!done.ok()) return false;
    if (*done) return true;
    std::this_thread::yield();
  }
  return false;
}

template <typename World>
class ShmProcesses : public testing::Test {
 protected:
  using Child = std::function<int(Transport&, int socket)>;

  using Join = std::function<std::unique_ptr<Transport>(int rank, int socket)>;

  // Forks rank 1, which runs `child` and ends with what it returns, and joins it as rank 0.
  void start(const Child& child, const Join& join_it = &join<World>) {
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets_.data()), 0);
    child_ = ::fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      ::close(sockets_[0]);
      int result = 100;
      {
        const auto transport = join<World>(1, sockets_[1]);
        if (transport) result = child(*transport, sockets_[1]);
      }
      ::_exit(result);
    }
    ::close(sockets_[1]);
    own_ = join_it(0, sockets_[0]);
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
  Endpoint& peer() { return *own_->endpoint(1); }
  // The first error of progress(), which must come within two seconds.
  Status first_error() {
    const Deadline deadline = in_seconds(2);
    for (Status status; std::chrono::steady_clock::now() < deadline;) {
      status = own_->progress();
      if (!status.ok()) return status;
      std::this_thread::yield();
    }
    return {};
  }

  pid_t child_ = -1;
  std::array<int, 2> sockets_{-1, -1};
  std::unique_ptr<Transport> own_;
};

using Worlds = testing::Types<ShmWorld, ShmWorldOfSlots>;
TYPED_TEST_SUITE(ShmProcesses, Worlds);

// Sends every size from registered and from plain memory.
template <typename World>
int send_all(Transport& transport, int) {
  Endpoint& endpoint = *transport.endpoint(0);
  std::byte* registered = World::allocate(message_sizes().back());
  std::vector<std::byte> plain(message_sizes().back());
  unsigned seed = 0;
  for (const std::size_t bytes : message_sizes())
    for (std::byte* source : {registered, plain.data(), registered, plain.data()}) {
      fill({source, bytes}, ++seed);
      const Transfer send{.data = source, .bytes = bytes};
      const auto token = endpoint.post(std::span(&send, 1));
      if (!token.ok() || !finish(transport, endpoint, *token)) return 1;
    }
  return 0;
}

TYPED_TEST(ShmProcesses, Message_ofEverySize_crosses) {
  this->start(&send_all<TypeParam>);
  unsigned seed = 0;
  for (const std::size_t bytes : message_sizes())
    for (const TransferKind kind : {TransferKind::kRecv, TransferKind::kRecv,
                                    TransferKind::kRecvView, TransferKind::kRecvView}) {
      std::vector<std::byte> target(bytes);
      const Transfer recv{.kind = kind, .data = target.data(), .bytes = bytes};
      const auto token = this->peer().post(std::span(&recv, 1));
      ASSERT_TRUE(token.ok());
      ASSERT_TRUE(finish(*this->own_, this->peer(), *token)) << bytes;
      const bool is_view = kind == TransferKind::kRecvView;
      EXPECT_TRUE(has_filling(is_view ? this->peer().view(*token) : target.data(), bytes, ++seed))
          << bytes;
      if (is_view) this->peer().release(*token);
    }
  EXPECT_EQ(this->wait_for_child(), 0);
}

TYPED_TEST(ShmProcesses, Store_intoThePeersMemory_isSeenThere) {
  this->start([](Transport& transport, int socket) {
    Endpoint& endpoint = *transport.endpoint(0);
    std::byte* output = TypeParam::allocate(100'000);
    endpoint.begin(call_number(2), {std::span(output, 100'000), {}});
    swap_text(socket, "begun");
    const Transfer recv{.kind = TransferKind::kRecv, .data = output, .bytes = 100'000};
    const auto token = endpoint.post(std::span(&recv, 1));
    if (!token.ok() || !finish(transport, endpoint, *token)) return 1;
    return has_filling(output, 100'000, 5) ? 0 : 2;
  });
  this->peer().begin(call_number(2), {});
  swap_text(this->sockets_[0], "begun");
  std::byte* target = this->peer().peer_store(StoreRegion::kOutput, 0, 100'000);
  ASSERT_NE(target, nullptr);
  fill({target, 100'000}, 5);
  const Transfer stored{.kind = TransferKind::kStored, .bytes = 100'000};
  const auto token = this->peer().post(std::span(&stored, 1));
  ASSERT_TRUE(token.ok());
  EXPECT_TRUE(finish(*this->own_, this->peer(), *token));
  EXPECT_EQ(this->wait_for_child(), 0);
}

// What rank 1 stores into rank 0's memory while that gives up.
constexpr std::size_t kStored = 100'000;

// Rank 1: is at a store when the test hears of it, and then does what comes of that.
template <typename AtStore>
auto storing(AtStore at_store) {
  return [at_store](Transport& transport, int socket) {
    Endpoint& endpoint = *transport.endpoint(0);
    endpoint.begin(call_number(2), {});
    swap_text(socket, "begun");
    std::byte* const target = endpoint.peer_store(StoreRegion::kOutput, 0, kStored);
    if (target == nullptr || !endpoint.begin_store().ok()) return 1;
    swap_text(socket, "at it");
    return at_store(endpoint, target, socket);
  };
}

// Rank 0: its output, once rank 1 is storing there.
std::byte* await_storing(Endpoint& peer, int socket, std::byte* output) {
  peer.begin(call_number(2), {std::span(output, kStored), {}});
  swap_text(socket, "begun");
  swap_text(socket, "at it");
  return output;
}

TYPED_TEST(ShmProcesses, Store_underWayWhenItsTargetGivesUp_isWaitedFor) {
  this->start(storing([](Endpoint& endpoint, std::byte* target, int socket) {
    ::usleep(50'000);
    fill({target, kStored}, 5);
    endpoint.end_store();
    swap_text(socket, "ended");  // and stores no more, as rank 0 has given up
    const Status next = endpoint.begin_store();
    return next.code() == ErrorCode::kPeerLost && next.culprit() == 0 ? 0 : 2;
  }));
  const std::byte* output =
      await_storing(this->peer(), this->sockets_[0], TypeParam::allocate(kStored));
  this->peer().withdraw();
  this->peer().await_store(in_seconds(20));
  EXPECT_TRUE(has_filling(output, kStored, 5)) << "rank 0 may have freed it by now";
  swap_text(this->sockets_[0], "ended");
  EXPECT_EQ(this->wait_for_child(), 0);
}

TYPED_TEST(ShmProcesses, Store_ofAPeerThatStandsStill_keepsItsTargetFromBeingUsedAgain) {
  this->start(storing([](Endpoint&, std::byte*, int) {
    ::pause();
    return 0;
  }));
  RegisteredPool& pool = *RegisteredPool::instance().value();
  std::byte* const output =
      await_storing(this->peer(), this->sockets_[0], TypeParam::allocate(kStored));
  this->peer().withdraw();
  this->peer().await_store(std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
  pool.free(output);
  const std::size_t used = pool.used_bytes();
  std::byte* const other = pool.allocate(kStored).value();
  EXPECT_NE(other, output);
  pool.free(other);
  EXPECT_EQ(pool.used_bytes(), used);
}

TYPED_TEST(ShmProcesses, Store_ofAPeerThatWasKilled_isOver) {
  this->start(storing([](Endpoint&, std::byte*, int) {
    ::pause();
    return 0;
  }));
  RegisteredPool& pool = *RegisteredPool::instance().value();
  const std::size_t used = pool.used_bytes();
  std::byte* const output =
      await_storing(this->peer(), this->sockets_[0], TypeParam::allocate(kStored));
  ::kill(this->child_, SIGKILL);
  this->peer().withdraw();
  this->peer().await_store(Deadline::max());
  pool.free(output);
  EXPECT_EQ(pool.used_bytes(), used) << "it may be used again";
}

TYPED_TEST(ShmProcesses, Store_ofAPeerThatWasKilledUnwatched_isOver) {
  if (::prctl(PR_GET_SECCOMP) < 0) GTEST_SKIP() << "this kernel filters no system calls";
  this->start(storing([](Endpoint&, std::byte*, int) {
                ::pause();
                return 0;
              }),
              &join_unable_to_watch<TypeParam>);
  RegisteredPool& pool = *RegisteredPool::instance().value();
  const std::size_t used = pool.used_bytes();
  std::byte* const output =
      await_storing(this->peer(), this->sockets_[0], TypeParam::allocate(kStored));
  ::kill(this->child_, SIGKILL);
  this->peer().withdraw();
  this->peer().await_store(in_seconds(5));
  pool.free(output);
  EXPECT_EQ(pool.used_bytes(), used) << "it may be used again";
}

TYPED_TEST(ShmProcesses, Peer_killed_isLostWithItsRankAndPid) {
  this->start([](Transport&, int) {
    ::pause();
    return 0;
  });
  EXPECT_TRUE(this->own_->progress().ok());
  const pid_t pid = this->child_;
  ::kill(pid, SIGKILL);
  this->wait_for_child();
  const Status status = this->first_error();
  EXPECT_EQ(status.code(), ErrorCode::kPeerLost);
  EXPECT_EQ(status.culprit(), 1);
  EXPECT_THAT(status.message(), testing::AllOf(testing::HasSubstr("rank 1"),
                                               testing::HasSubstr(std::to_string(pid))));
}

// A child that the peer forked still holds its socket: only the process itself tells.
TYPED_TEST(ShmProcesses, Peer_killedWhileItsChildLives_isLost) {
  this->start([](Transport&, int socket) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) ::pause();
    swap_text(socket, std::to_string(grandchild));
    ::pause();
    return 0;
  });
  const pid_t grandchild = std::stoi(swap_text(this->sockets_[0], "go"));
  ::kill(this->child_, SIGKILL);
  this->wait_for_child();
  EXPECT_EQ(this->first_error().code(), ErrorCode::kPeerLost);
  ::kill(grandchild, SIGKILL);
}

TYPED_TEST(ShmProcesses, ChildOfThePeer_endingInOrder_saysNothingInItsName) {
  this->start([](Transport& transport, int socket) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      transport.endpoint(0)->withdraw();
      return 0;  // with its copy of the transport
    }
    ::waitpid(grandchild, nullptr, 0);
    swap_text(socket, "it has ended");
    swap_text(socket, "now this one");
    std::vector<std::byte> message(300);
    fill(message, 4);
    const Transfer send{.data = message.data(), .bytes = message.size()};
    const auto token = transport.endpoint(0)->post(std::span(&send, 1));
    return token.ok() && finish(transport, *transport.endpoint(0), *token) ? 0 : 1;
  });
  swap_text(this->sockets_[0], "go on");
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(this->own_->progress().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(this->peer().left().ok());
  EXPECT_TRUE(this->peer().verdict().ok());
  swap_text(this->sockets_[0], "go on");
  std::vector<std::byte> message(300);
  const Transfer recv{.kind = TransferKind::kRecv, .data = message.data(), .bytes = message.size()};
  const auto token = this->peer().post(std::span(&recv, 1));
  ASSERT_TRUE(token.ok());
  EXPECT_TRUE(finish(*this->own_, this->peer(), *token));
  EXPECT_TRUE(has_filling(message.data(), message.size(), 4));
  EXPECT_EQ(this->wait_for_child(), 0);
}

TYPED_TEST(ShmProcesses, Place_asleep_isWokenByThePeersDeath) {
  this->start([](Transport&, int) {
    ::pause();
    return 0;
  });
  ASSERT_FALSE(this->own_->arm());
  ::kill(this->child_, SIGKILL);
  pollfd wait{.fd = this->own_->wake_fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&wait, 1, 10'000), 1);
  this->own_->disarm();
  EXPECT_EQ(this->own_->progress().code(), ErrorCode::kPeerLost);
  // The news is heard once: the place can sleep again.
  wait.revents = 0;
  EXPECT_EQ(::poll(&wait, 1, 0), 0);
}

TYPED_TEST(ShmProcesses, Peer_leavingInOrder_isNoErrorUntilItIsNeeded) {
  this->start([](Transport&, int) { return 0; });
  EXPECT_EQ(this->wait_for_child(), 0);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(this->own_->progress().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TYPED_TEST(ShmProcesses, View_ofADeadPeersMemory_staysReadable) {
  this->start([](Transport& transport, int) {
    std::byte* data = TypeParam::allocate(50'000);
    fill({data, 50'000}, 8);
    const Transfer send{.data = data, .bytes = 50'000};
    (void)transport.endpoint(0)->post(std::span(&send, 1));
    ::pause();
    return 0;
  });
  const Transfer recv{.kind = TransferKind::kRecvView, .bytes = 50'000};
  const auto token = this->peer().post(std::span(&recv, 1));
  ASSERT_TRUE(token.ok());
  ASSERT_TRUE(finish(*this->own_, this->peer(), *token));
  ::kill(this->child_, SIGKILL);
  this->wait_for_child();
  EXPECT_EQ(this->first_error().code(), ErrorCode::kPeerLost);
  EXPECT_TRUE(has_filling(this->peer().view(*token), 50'000, 8));
  this->peer().release(*token);
}

// All that a place has is anonymous, so there is nothing that a kill could leave behind.
TYPED_TEST(ShmProcesses, Memory_ofAPlace_hasNoNameInTheFileSystem) {
  this->start([](Transport& transport, int socket) {
    TypeParam::allocate(1'000'000);
    swap_text(socket, transport.address());
    ::pause();
    return 0;
  });
  const std::string address = swap_text(this->sockets_[0], "go");
  ASSERT_FALSE(address.empty());
  std::ifstream maps("/proc/" + std::to_string(this->child_) + "/maps");
  const std::string text{std::istreambuf_iterator<char>(maps), {}};
  EXPECT_THAT(text, testing::HasSubstr("/memfd:rondo-registered"));
  EXPECT_THAT(text, testing::HasSubstr("/memfd:rondo-control"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("/dev/shm")));
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    if (line.find(address) != std::string::npos) {
      EXPECT_THAT(line, testing::HasSubstr(" @" + address));
    }
  }
}

}  // namespace
}  // namespace rondo::transport
