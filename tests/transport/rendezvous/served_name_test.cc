// This host's own name where /etc/hosts has it at loopback, and others know it by another address.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/unique_fd.h"
#include "tests/transport/rendezvous/said_by_child.h"
#include "transport/rendezvous/tcp_store.h"
#include "transport/rendezvous/tcp_store_server.h"

namespace rondo::rendezvous {
namespace {

constexpr std::uint64_t kJob = 0x2a3e;
constexpr char kName[] = "rondo-named-host";

/// Gives this process a name and an /etc/hosts of its own.
bool enter_named_host(const std::string& address) {
  constexpr int kOwn = CLONE_NEWNS | CLONE_NEWUTS;
  if (::unshare(kOwn) != 0 && ::unshare(CLONE_NEWUSER | kOwn) != 0) return false;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  const std::string hosts =
      std::filesystem::temp_directory_path() / ("rondo-hosts-" + std::to_string(::getpid()));
  std::ofstream(hosts) << address << ' ' << kName << '\n';
  const bool mounted = ::mount(hosts.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) == 0;
  ::unlink(hosts.c_str());
  return mounted && ::sethostname(kName, sizeof kName - 1) == 0;
}

bool has_ipv6() {
  return UniqueFd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)).valid() &&
         TcpStoreServer::listen("::1", 0, kJob).ok();
}

/// What those say who know the host by these addresses.
std::string join_named_host(const std::string& address) {
  if (!enter_named_host(address)) return "";
  const auto server = TcpStoreServer::listen(kName, 0, kJob);
  if (!server.ok()) return server.status().to_string();
  const std::uint16_t port = (*server)->address().port;
  const Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (const char* known : {"127.0.0.1", "127.0.1.1", "::1"}) {
    if (std::string(known) == "::1" && !has_ipv6()) continue;
    const auto store = TcpStore::connect({.host = known, .port = port}, kJob, deadline);
    if (!store.ok()) return store.status().to_string();
  }
  return "joined";
}

TEST(TcpStoreServer, OwnNameAtLoopback_isServedByIpv4AndIpv6) {
  for (const char* address : {"127.0.1.1", "::1"}) {
    const std::string said = said_by_child([&] { return join_named_host(address); });
    if (said.empty()) GTEST_SKIP() << "this user may not make namespaces";
    EXPECT_EQ(said, "joined") << address;
  }
}

}  // namespace
}  // namespace rondo::rendezvous
