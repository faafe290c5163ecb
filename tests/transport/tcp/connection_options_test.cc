#include "transport/tcp/connection_options.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "core/unique_fd.h"

namespace rondo::transport {
namespace {

sockaddr_in address(const char* text) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  inet_pton(AF_INET, text, &name.sin_addr);
  return name;
}

/// Connects from one address to another, both of this host; `before` has had both sockets.
struct Connection {
  Connection(
      const char* from, const char* to, const std::function<void(int)>& before = [](int) {})
      : listener(::socket(AF_INET, SOCK_STREAM, 0)), dialler(::socket(AF_INET, SOCK_STREAM, 0)) {
    before(listener.get());
    before(dialler.get());
    sockaddr_in target = address(to);
    const sockaddr_in own = address(from);
    socklen_t bytes = sizeof target;
    auto* target_name = reinterpret_cast<sockaddr*>(&target);
    EXPECT_EQ(::bind(listener.get(), target_name, bytes), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), target_name, &bytes), 0);
    EXPECT_EQ(::bind(dialler.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
    EXPECT_EQ(::connect(dialler.get(), target_name, bytes), 0);
  }
  UniqueFd listener;
  UniqueFd dialler;
};

int value(int socket, int level, int option) {
  int value = -1;
  socklen_t bytes = sizeof value;
  EXPECT_EQ(::getsockopt(socket, level, option, &value, &bytes), 0);
  return value;
}

std::string congestion_control(int socket) {
  std::array<char, 32> name{};
  socklen_t bytes = name.size();
  EXPECT_EQ(::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &bytes), 0);
  return name.data();
}

bool choose(int socket, const std::string& name) {
  return ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(),
                      static_cast<socklen_t>(name.size())) == 0;
}

TEST(ConnectionOptions, AreSet) {
  const Connection connection("127.0.0.1", "127.0.0.1");
  const int socket = connection.dialler.get();
  set_connection_options(socket, false);
  EXPECT_NE(::fcntl(socket, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(socket, F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(value(socket, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(value(socket, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(value(socket, IPPROTO_TCP, TCP_KEEPIDLE), 10);
  EXPECT_EQ(value(socket, IPPROTO_TCP, TCP_KEEPINTVL), 5);
  EXPECT_EQ(value(socket, IPPROTO_TCP, TCP_KEEPCNT), 4);
}

bool may_choose_both() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM, 0));
  return choose(socket.get(), "cubic") && choose(socket.get(), "bbr");
}

/// As where it is the system's.
void have_bbr(int socket) { EXPECT_TRUE(choose(socket, "bbr")); }

TEST(ConnectionOptions, ConnectionsToNearPeers_WereNeverPaced) {
  if (!may_choose_both()) GTEST_SKIP() << "this process may not choose both bbr and cubic";
  const Connection connection("127.0.0.1", "127.0.0.1", [](int socket) {
    have_bbr(socket);
    EXPECT_TRUE(leave_pacing(socket));
  });
  const UniqueFd accepted(::accept(connection.listener.get(), nullptr, nullptr));
  for (const int socket : {connection.dialler.get(), accepted.get()}) {
    EXPECT_EQ(congestion_control(socket), "cubic") << "from the beginning";
    set_connection_options(socket, true);
    EXPECT_EQ(congestion_control(socket), "cubic");
  }
}

std::uint32_t round_trip_us(int socket) {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  EXPECT_EQ(::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes), 0);
  return info.tcpi_rtt;
}

/// Acknowledgements that are late by 40 ms each, as those of one on another continent.
void make_far(int socket, int peer) {
  for (int i = 0; i < 40 && round_trip_us(socket) < 25'000; ++i) {
    const int later = 0;
    ::setsockopt(peer, IPPROTO_TCP, TCP_QUICKACK, &later, sizeof later);
    EXPECT_EQ(::send(socket, "x", 1, 0), 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(45));
  }
}

TEST(ConnectionOptions, ConnectionsToFarPeers_GoBackToPacing) {
  if (!may_choose_both()) GTEST_SKIP() << "this process may not choose both bbr and cubic";
  const Connection connection("127.0.0.1", "127.0.0.1", [](int socket) {
    have_bbr(socket);
    EXPECT_TRUE(leave_pacing(socket));
  });
  const UniqueFd accepted(::accept(connection.listener.get(), nullptr, nullptr));
  make_far(connection.dialler.get(), accepted.get());
  ASSERT_GE(round_trip_us(connection.dialler.get()), 20'000);
  set_connection_options(connection.dialler.get(), true);
  EXPECT_EQ(congestion_control(connection.dialler.get()), "bbr");
}

TEST(ConnectionOptions, WhatTheSystemChoseOtherwise_Stays) {
  const auto have_reno = [](int socket) {
    choose(socket, "reno");
    const bool has_reno = congestion_control(socket) == "reno";
    EXPECT_FALSE(has_reno && leave_pacing(socket));
  };
  const Connection connection("127.0.0.1", "127.0.0.1", have_reno);
  const int socket = connection.dialler.get();
  if (congestion_control(socket) != "reno") GTEST_SKIP() << "this process may not choose reno";
  set_connection_options(socket, false);
  EXPECT_EQ(congestion_control(socket), "reno");
}

}  // namespace
}  // namespace rondo::transport
