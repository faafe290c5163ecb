#include "transport/rendezvous/kept_server.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "transport/rendezvous/gather.h"
#include "transport/rendezvous/tcp_store.h"

namespace rondo::rendezvous {
namespace {

constexpr std::uint64_t kFirstJob = 0xf1257;
constexpr std::uint64_t kSecondJob = 0x5ec0d;

std::unique_ptr<TcpStore> client_of(const StoreAddress& address, std::uint64_t job) {
  const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  return value_or_throw(TcpStore::connect(address, job, deadline));
}

TEST(KeptServer, SameJob_again_meetsInTheSameStore) {
  const StoreAddress address = value_or_throw(keep_server({.host = "127.0.0.1"}, kFirstJob));
  ASSERT_TRUE(client_of(address, kFirstJob)->set("k", "v").ok());
  EXPECT_EQ(value_or_throw(keep_server(address, kFirstJob)).port, address.port);
  EXPECT_EQ(*client_of(address, kFirstJob)->get("k"), "v");
  end_server(address, kFirstJob);
}

TEST(KeptServer, AnotherJob_atTheSameAddress_hasAStoreOfItsOwn) {
  const StoreAddress address = value_or_throw(keep_server({.host = "127.0.0.1"}, kFirstJob));
  const auto first = client_of(address, kFirstJob);
  ASSERT_TRUE(first->set("k", "v").ok());
  ASSERT_TRUE(keep_server(address, kSecondJob).ok());
  const auto second = client_of(address, kSecondJob);
  EXPECT_EQ(value_or_throw(second->get("k")), std::nullopt);
  EXPECT_TRUE(second->set("k", "w").ok());
  EXPECT_EQ(first->get("k").status().code(), ErrorCode::kPeerLost);
  end_server(address, kFirstJob);  // no longer there: leaves the second job's alone
  EXPECT_EQ(*second->get("k"), "w");
  end_server(address, kSecondJob);
}

/// As a data loader, which never calls exec: it has copies of all that its parent has.
class ForkedChild {
 public:
  ForkedChild() : pid_(::fork()) {
    if (pid_ != 0) return;
    ::pause();
    ::_exit(0);
  }
  ForkedChild(const ForkedChild&) = delete;
  ForkedChild& operator=(const ForkedChild&) = delete;
  ~ForkedChild() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_;
};

TEST(KeptServer, AnotherJob_whileAForkedChildHasTheListener_hasItsStore) {
  const StoreAddress address = value_or_throw(keep_server({.host = "127.0.0.1"}, kFirstJob));
  const ForkedChild child;
  const Status status = keep_server(address, kSecondJob).status();
  ASSERT_TRUE(status.ok()) << status.to_string();
  EXPECT_TRUE(client_of(address, kSecondJob)->set("k", "v").ok());
  end_server(address, kSecondJob);
}

TEST(KeptServer, ChildThatEnds_leavesItsParentsListener) {
  const StoreAddress address = value_or_throw(keep_server({.host = "127.0.0.1"}, kFirstJob));
  const pid_t child = ::fork();
  if (child == 0) {
    end_server(address, kFirstJob);
    ::_exit(0);
  }
  int ended = 0;
  ASSERT_EQ(::waitpid(child, &ended, 0), child);
  EXPECT_EQ(ended, 0);
  EXPECT_TRUE(client_of(address, kFirstJob)->set("k", "v").ok());
  end_server(address, kFirstJob);
}

// It waits for another process of its job that is in the middle of a gather, for five seconds: less
// than a machine may stand still.
TEST(KeptServer, OneThatEndsSlowly_holdsUpNoOtherAddress) {
  const StoreAddress address = value_or_throw(keep_server({.host = "127.0.0.1"}, kFirstJob));
  const auto last = client_of(address, kFirstJob);
  const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  Result<std::vector<std::string>> first = std::vector<std::string>();
  std::jthread gathering(
      [&] { first = client_of(address, kFirstJob)->all_gather("g", 0, 2, "a", deadline); });
  ASSERT_TRUE(last->wait({gathered_key("g", 0)}, deadline).ok());
  const auto began = std::chrono::steady_clock::now();
  std::atomic<bool> begins = false;
  std::atomic<bool> has_ended = false;
  std::jthread ending([&] {
    begins = true;
    EXPECT_TRUE(keep_server(address, kSecondJob).ok());
    has_ended = true;
  });
  while (!begins) std::this_thread::yield();
  for (int i = 0; i < 20; ++i)
    end_server(value_or_throw(keep_server({.host = "127.0.0.1"}, kFirstJob)), kFirstJob);
  const bool had_ended = has_ended;
  const auto second = last->all_gather("g", 1, 2, "b", deadline);
  const bool in_time = std::chrono::steady_clock::now() - began < std::chrono::seconds(4);
  ending.join();
  gathering.join();
  end_server(address, kSecondJob);
  if (!in_time) GTEST_SKIP() << "the machine stood still for longer than the server waits";
  EXPECT_FALSE(had_ended);
  EXPECT_TRUE(second.ok()) << second.status().to_string();
  EXPECT_TRUE(first.ok()) << first.status().to_string();
}

}  // namespace
}  // namespace rondo::rendezvous
