// What only the TCP store can get wrong: strangers, other jobs, late and lost servers.

#include "transport/rendezvous/tcp_store.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/core/device/no_more_threads.h"
#include "transport/rendezvous/own_name.h"
#include "transport/rendezvous/tcp_store_server.h"

namespace rondo::rendezvous {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr std::uint64_t kJob = 0x5ec2e700000070b1;

Deadline in(milliseconds time) { return steady_clock::now() + time; }

std::unique_ptr<TcpStoreServer> serve() {
  return value_or_throw(TcpStoreServer::listen("127.0.0.1", 0, kJob));
}

std::unique_ptr<TcpStore> client_of(const StoreAddress& address) {
  return value_or_throw(TcpStore::connect(address, kJob, in(seconds(20))));
}

/// A connection that speaks another language.
class Stranger {
 public:
  explicit Stranger(const StoreAddress& address) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(address.port);
    inet_pton(AF_INET, address.host.c_str(), &name.sin_addr);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
  }
  ~Stranger() { close(fd_); }

  void say(const std::string& bytes) {
    EXPECT_EQ(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void hear(std::size_t bytes) {
    std::string answer(bytes, '\0');
    EXPECT_EQ(recv(fd_, answer.data(), bytes, MSG_WAITALL), static_cast<ssize_t>(bytes));
  }
  /// True if the other side closes within `time`.
  bool is_closed_within(milliseconds time) {
    pollfd readable{fd_, POLLIN, 0};
    if (poll(&readable, 1, static_cast<int>(time.count())) != 1) return false;
    char byte = 0;
    return recv(fd_, &byte, 1, 0) <= 0;
  }

 private:
  int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

/// Listens as anything but a store.
class Listener {
 public:
  Listener() {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof name;
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&name), bytes), 0);
    EXPECT_EQ(listen(fd_, 1), 0);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&name), &bytes);
    address_ = {.host = "127.0.0.1", .port = ntohs(name.sin_port)};
  }
  ~Listener() { close(fd_); }

  [[nodiscard]] const StoreAddress& address() const { return address_; }
  [[nodiscard]] int accept_one() const { return accept(fd_, nullptr, nullptr); }
  /// Ends a waiting accept_one.
  void stop() const { shutdown(fd_, SHUT_RDWR); }

 private:
  int fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  StoreAddress address_;
};

/// A port that nobody listens on (any more).
StoreAddress free_address() {
  const auto server = serve();
  return server->address();
}

TEST(TcpStoreServer, Stranger_silent_holdsUpNobodyAndIsDropped) {
  const auto server = serve();
  Stranger silent(server->address());
  Stranger half(server->address());
  half.say(encode_hello(kJob).substr(0, 10));
  const auto store = client_of(server->address());
  EXPECT_TRUE(store->set("k", "v").ok());
  EXPECT_TRUE(silent.is_closed_within(seconds(20)));
  EXPECT_TRUE(half.is_closed_within(seconds(20)));
  EXPECT_EQ(*store->get("k"), "v");
}

TEST(TcpStoreServer, Stranger_talkingGarbage_isDroppedAtOnce) {
  const auto server = serve();
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::string garbage(kHelloBytes, '\0');
    for (char& c : garbage) c = static_cast<char>(random());
    Stranger stranger(server->address());
    stranger.say(garbage);
    EXPECT_TRUE(stranger.is_closed_within(seconds(20)));
  }
  EXPECT_TRUE(client_of(server->address())->set("k", "v").ok());
}

TEST(TcpStoreServer, Client_damagedRequests_closeOnlyItsConnection) {
  const auto server = serve();
  const auto store = client_of(server->address());
  for (const std::string& bytes :
       {std::string("\xff\xff\xff\x7f", 4), std::string("\x03\0\0\0abc", 7),
        encode_request({.kind = RequestKind::kWait})}) {
    Stranger damaged(server->address());
    damaged.say(encode_hello(kJob));
    damaged.say(bytes);
    // The reply to the hello comes first.
    while (!damaged.is_closed_within(seconds(20))) {
    }
  }
  EXPECT_TRUE(store->set("k", "v").ok());
}

TEST(TcpStoreServer, Client_ofAnotherJob_isRefusedWithTheReason) {
  const auto server = serve();
  ::testing::internal::CaptureStderr();
  const auto store = TcpStore::connect(server->address(), 0xcafe0bad, in(milliseconds(300)));
  const std::string logged = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(store.status().code(), ErrorCode::kMismatch);
  EXPECT_THAT(store.status().message(), HasSubstr("serves job ..0070b1,"));
  EXPECT_THAT(store.status().message(), HasSubstr("job ..fe0bad:"));
  EXPECT_THAT(logged, HasSubstr("serves job ..0070b1,"));
  EXPECT_THAT(logged, HasSubstr("waiting for this job's to take its place"));
  EXPECT_EQ(logged.find("waiting"), logged.rfind("waiting")) << "told once: " << logged;
}

/// Process 0 begins the next job later than others do.
TEST(TcpStoreServer, Client_thatComesBeforeTheJobBeforeHasEnded_waitsForItsOwn) {
  auto server = serve();
  const StoreAddress address = server->address();
  Result<std::unique_ptr<TcpStore>> early = Status(ErrorCode::kInternal, "not yet");
  std::thread client([&] { early = TcpStore::connect(address, kJob + 1, in(seconds(20))); });
  std::this_thread::sleep_for(milliseconds(50));  // its first try is over, most likely
  server.reset();
  server = value_or_throw(TcpStoreServer::listen(address.host, address.port, kJob + 1));
  client.join();
  ASSERT_TRUE(early.ok()) << early.status().to_string();
  EXPECT_TRUE((*early)->set("k", "v").ok());
}

TEST(TcpStoreServer, Port_inUse_namesAddressAndRemedy) {
  const auto server = serve();
  const auto port = server->address().port;
  const auto second = TcpStoreServer::listen("127.0.0.1", port, kJob);
  EXPECT_EQ(second.status().code(), ErrorCode::kSystem);
  EXPECT_THAT(second.status().message(), HasSubstr("127.0.0.1:" + std::to_string(port)));
  EXPECT_THAT(second.status().message(), HasSubstr("in use by another program"));
  EXPECT_THAT(second.status().message(), HasSubstr("RONDO_STORE"));
}

TEST(TcpStoreServer, Address_ofAnotherMachine_isInvalidArgument) {
  EXPECT_EQ(TcpStoreServer::listen("192.0.2.1", 0, kJob).status().code(),
            ErrorCode::kInvalidArgument);
}

TEST(TcpStoreServer, OwnName_evenWhereItIsLoopback_isReachedByOtherHosts) {
  char name[HOST_NAME_MAX + 1] = {};
  ASSERT_EQ(gethostname(name, sizeof name - 1), 0);
  if (!is_own_name(name)) GTEST_SKIP() << "this host has no name of its own";
  const auto server = TcpStoreServer::listen(name, 0, kJob);
  if (!server.ok()) GTEST_SKIP() << server.status().to_string();
  const std::string host = (*server)->address().host;
  EXPECT_FALSE(host.starts_with("127.") || host == "::1") << host;
  const StoreAddress by_name{.host = name, .port = (*server)->address().port};
  EXPECT_TRUE(client_of(by_name)->set("k", "v").ok());
}

TEST(TcpStoreServer, Localhost_listensNowhereElse) {
  const std::string host =
      value_or_throw(TcpStoreServer::listen("localhost", 0, kJob))->address().host;
  EXPECT_TRUE(host.starts_with("127.") || host == "::1") << host;
}

TEST(TcpStoreServer, Adopt_notListening_isInvalidArgument) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(TcpStoreServer::adopt(fd, kJob).status().code(), ErrorCode::kInvalidArgument);
  close(fd);
  EXPECT_FALSE(TcpStoreServer::adopt(fd, kJob).ok());
}

TEST(TcpStoreServer, NoMoreThreads_isSystemAndSignalsStayAsTheyWere) {
  {
    const rondo::testing::NoMoreThreads none;
    const auto server = TcpStoreServer::listen("127.0.0.1", 0, kJob);
    EXPECT_EQ(server.status().code(), ErrorCode::kSystem);
    EXPECT_THAT(server.status().message(), HasSubstr("ulimit -u"));
  }
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 0);
  EXPECT_NE(serve(), nullptr);
}

/// Sockets of this process that a program started by it would keep. By what the kernel says of
/// them: another test's server may be closing one.
std::vector<std::string> inherited_sockets() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string what = std::filesystem::read_symlink(entry.path(), gone).string();
    if (!what.starts_with("socket:")) continue;
    std::ifstream info("/proc/self/fdinfo/" + entry.path().filename().string());
    int flags = O_CLOEXEC;
    for (std::string key; info >> key;)
      if (key == "flags:") info >> std::oct >> flags;
    if ((flags & O_CLOEXEC) == 0) found.push_back(what);
  }
  return found;
}

TEST(TcpStoreServer, Sockets_areNotInheritedByPrograms) {
  const auto before = inherited_sockets();
  const auto server = serve();
  const auto store = client_of(server->address());
  ASSERT_TRUE(store->set("k", "v").ok());  // the server has accepted
  EXPECT_EQ(inherited_sockets(), before);
}

TEST(TcpStoreServer, End_whileAnotherStillGathers_waitsForIt) {
  auto server = serve();
  const StoreAddress address = server->address();
  const auto slow = client_of(address);
  // The other has announced a gather, as a process in the middle of all_gather does.
  Stranger middle(address);
  middle.say(encode_hello(kJob) + encode_request({.kind = RequestKind::kEnterGather}));
  ASSERT_TRUE(slow->set("k", "v").ok());
  middle.hear(2 * encode_reply({}).size());
  std::jthread ending([&] { server.reset(); });
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(value_or_throw(slow->get("k")), "v");
  middle.say(encode_request({.kind = RequestKind::kLeaveGather}));
  const auto start = steady_clock::now();
  ending.join();
  EXPECT_LT(steady_clock::now() - start, TcpStoreServer::kLinger);
}

TEST(TcpStore, Server_startsLater_isFound) {
  const StoreAddress address = free_address();
  std::unique_ptr<TcpStoreServer> server;
  std::jthread late([&] {
    std::this_thread::sleep_for(milliseconds(150));
    server = value_or_throw(TcpStoreServer::listen(address.host, address.port, kJob));
  });
  EXPECT_TRUE(client_of(address)->set("k", "v").ok());
}

TEST(TcpStore, Server_neverStarts_isTimeoutWithTheAddress) {
  const StoreAddress address = free_address();
  const auto store = TcpStore::connect(address, kJob, in(seconds(1)));
  EXPECT_EQ(store.status().code(), ErrorCode::kTimeout);
  EXPECT_THAT(store.status().message(), HasSubstr(to_string(address)));
  EXPECT_THAT(store.status().message(), HasSubstr("refused"));
}

TEST(TcpStore, Server_ends_isPeerLostAndStaysSo) {
  auto server = serve();
  const auto store = client_of(server->address());
  ASSERT_TRUE(store->set("k", "v").ok());
  server.reset();
  EXPECT_EQ(store->get("k").status().code(), ErrorCode::kPeerLost);
  EXPECT_EQ(store->set("k", "w").code(), ErrorCode::kPeerLost);
}

TEST(TcpStore, Server_hangsUpThenHangs_isTimeoutWithBoth) {
  Listener listener;
  int held = -1;
  std::jthread server([&] {
    close(listener.accept_one());
    held = listener.accept_one();
  });
  const auto store = TcpStore::connect(listener.address(), kJob, in(seconds(2)));
  EXPECT_EQ(store.status().code(), ErrorCode::kTimeout);
  // What a socket that was closed unread says depends on whether the hello had come.
  EXPECT_THAT(store.status().message(), ContainsRegex("(End of file|reset by peer|Broken pipe)"));
  EXPECT_THAT(store.status().message(), HasSubstr(", then no answer"));
  listener.stop();
  server.join();
  EXPECT_GE(held, 0);
  close(held);
}

TEST(TcpStore, Listener_thatIsNoStore_isDataLoss) {
  Listener listener;
  std::jthread other([&] {
    const int connection = listener.accept_one();
    const std::string answer = "HTTP/1.1 400 Bad Request\r\n\r\n";
    EXPECT_GT(send(connection, answer.data(), answer.size(), MSG_NOSIGNAL), 0);
    char hello[kHelloBytes];
    EXPECT_GT(recv(connection, hello, sizeof hello, MSG_WAITALL), 0);
    close(connection);
  });
  EXPECT_EQ(TcpStore::connect(listener.address(), kJob, in(seconds(20))).status().code(),
            ErrorCode::kDataLoss);
}

TEST(TcpStore, Waiting_whileOthersLeave_isUndisturbed) {
  const auto server = serve();
  const auto waiting = client_of(server->address());
  std::jthread setter([&] {
    for (int i = 0; i < 20; ++i) {
      const auto brief = client_of(server->address());
      EXPECT_EQ(brief->wait({"never"}, in(milliseconds(1))).status().code(), ErrorCode::kTimeout);
    }
    EXPECT_TRUE(client_of(server->address())->set("k", "v").ok());
  });
  EXPECT_TRUE(waiting->wait({"k"}, Deadline::max()).ok());
}

}  // namespace
}  // namespace rondo::rendezvous
