// Processes whose table of descriptors is full while they join.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "core/log.h"
#include "tests/core/device/no_more_threads.h"
#include "tests/transport/shm/descriptor_limit.h"
#include "transport/rendezvous/pmi_socket.h"
#include "transport/rendezvous/tcp_store.h"
#include "transport/rendezvous/tcp_store_server.h"

namespace rondo::rendezvous {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using transport::DescriptorLimit;

constexpr std::uint64_t kJob = 0xf0115;
/// Asio's event loop takes up to three, and a socket one.
constexpr int kTaken = 4;

Deadline in(milliseconds time) { return steady_clock::now() + time; }

void expect_named(const Status& status, int room) {
  EXPECT_EQ(status.code(), ErrorCode::kSystem) << room << " left: " << status.to_string();
  EXPECT_THAT(status.message(), HasSubstr("RLIMIT_NOFILE")) << room << " left";
}

TEST(NoDescriptors, Server_saysSo) {
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  for (int room = 0; room < kTaken; ++room) {
    const DescriptorLimit limit(room);
    expect_named(TcpStoreServer::listen("127.0.0.1", 0, kJob).status(), room);
    expect_named(TcpStoreServer::adopt(listener.get(), kJob).status(), room);
  }
}

TEST(NoDescriptors, Client_saysSoAtOnce) {
  const auto server = value_or_throw(TcpStoreServer::listen("127.0.0.1", 0, kJob));
  const auto start = steady_clock::now();
  for (int room = 0; room < kTaken; ++room) {
    const DescriptorLimit limit(room);
    expect_named(TcpStore::connect(server->address(), kJob, in(seconds(60))).status(), room);
  }
  EXPECT_LT(steady_clock::now() - start, seconds(60));
}

TEST(NoDescriptors, ClientOfPmi_saysSo) {
  const auto server = value_or_throw(TcpStoreServer::listen("127.0.0.1", 0, kJob));
  const PmiEndpoint endpoint{.address = to_string(server->address())};
  for (int room = 0; room < kTaken; ++room) {
    const DescriptorLimit limit(room);
    expect_named(PmiSocket::open(endpoint, in(seconds(60))).status(), room);
  }
}

TEST(NoThreads, Client_saysSo) {
  const auto server = value_or_throw(TcpStoreServer::listen("127.0.0.1", 0, kJob));
  const rondo::testing::NoMoreThreads none;
  const Status status = TcpStore::connect(server->address(), kJob, in(seconds(60))).status();
  EXPECT_EQ(status.code(), ErrorCode::kSystem) << status.to_string();
  EXPECT_THAT(status.message(), HasSubstr("ulimit -u"));
}

void dial(const UniqueFd& socket, const StoreAddress& address) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(address.port);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
}

/// Until the file says more than nothing, for a minute at most.
std::string read_log(std::ifstream& file) {
  const Deadline deadline = in(seconds(60));
  std::string said;
  while (said.empty() && steady_clock::now() < deadline) {
    file.clear();
    file.seekg(0);
    said.assign(std::istreambuf_iterator<char>(file), {});
    std::this_thread::sleep_for(milliseconds(5));
  }
  return said;
}

TEST(NoDescriptors, ServerThatAcceptsNobody_warns_andGoesOnWhenThereAreSome) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("rondo-accepts-" + std::to_string(::getpid()));
  ASSERT_TRUE(configure_log({.file = path}).ok());
  std::ifstream file(path);
  const auto server = value_or_throw(TcpStoreServer::listen("127.0.0.1", 0, kJob));
  const UniqueFd early(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  {
    const DescriptorLimit limit(0);
    dial(early, server->address());
    EXPECT_THAT(read_log(file), HasSubstr("RLIMIT_NOFILE"));
  }
  EXPECT_TRUE(configure_log({}).ok());
  std::filesystem::remove(path);
  EXPECT_TRUE(TcpStore::connect(server->address(), kJob, in(seconds(20))).ok());
}

}  // namespace
}  // namespace rondo::rendezvous
