// A port that the kernel also gives to sockets which dial: one that dials it may meet itself.

#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "core/unique_fd.h"
#include "tests/transport/rendezvous/said_by_child.h"
#include "transport/rendezvous/tcp_store.h"
#include "transport/rendezvous/tcp_store_server.h"

namespace rondo::rendezvous {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::uint64_t kJob = 0x5e1f;
/// Of the two that dialling sockets may have, the one they are given first where it is free.
constexpr std::uint16_t kPort = 40004;

/// Gives this process a network of its own, which is loopback alone and has two ports to dial from.
bool enter_small_network() {
  if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::string("lo").copy(loopback.ifr_name, IFNAMSIZ - 1);
  loopback.ifr_flags = IFF_UP;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) != 0) return false;
  std::ofstream range("/proc/sys/net/ipv4/ip_local_port_range");
  range << kPort << ' ' << kPort + 1 << std::flush;
  return range.good();
}

/// What a client says of a server that starts later than it.
std::string join_late_server() {
  std::unique_ptr<TcpStoreServer> server;
  std::jthread late([&] {
    std::this_thread::sleep_for(milliseconds(100));
    // The client may have the port at that very moment.
    for (int tries = 0; server == nullptr && tries < 100; ++tries) {
      auto listens = TcpStoreServer::listen("127.0.0.1", kPort, kJob);
      if (listens.ok()) server = std::move(listens).value();
      std::this_thread::sleep_for(milliseconds(5));
    }
  });
  const StoreAddress address{.host = "127.0.0.1", .port = kPort};
  const Deadline deadline = steady_clock::now() + std::chrono::seconds(20);
  const auto store = TcpStore::connect(address, kJob, deadline);
  late.join();
  return store.ok() ? "joined" : store.status().to_string();
}

TEST(TcpStore, Client_thatMeetsItself_waitsForTheServer) {
  const std::string said =
      said_by_child([] { return enter_small_network() ? join_late_server() : ""; });
  if (said.empty()) GTEST_SKIP() << "this user may not make namespaces";
  EXPECT_EQ(said, "joined");
}

}  // namespace
}  // namespace rondo::rendezvous
