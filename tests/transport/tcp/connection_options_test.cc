#include "transport/tcp/connection_options.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <string>

#include "core/unique_fd.h"

namespace rondo::transport {
namespace {

sockaddr_in address(const char* text) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  inet_pton(AF_INET, text, &name.sin_addr);
  return name;
}

/// Connects from one address to another, both of this host.
struct Connection {
  Connection(const char* from, const char* to)
      : listener(::socket(AF_INET, SOCK_STREAM, 0)), dialler(::socket(AF_INET, SOCK_STREAM, 0)) {
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
  set_connection_options(socket);
  EXPECT_NE(::fcntl(socket, F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(socket, F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_EQ(value(socket, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(value(socket, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(value(socket, IPPROTO_TCP, TCP_KEEPIDLE), 10);
  EXPECT_EQ(value(socket, IPPROTO_TCP, TCP_KEEPINTVL), 5);
  EXPECT_EQ(value(socket, IPPROTO_TCP, TCP_KEEPCNT), 4);
}

TEST(ConnectionOptions, ToANearPeer_AvoidPacing) {
  const Connection connection("127.0.0.1", "127.0.0.1");
  const int socket = connection.dialler.get();
  if (!choose(socket, "cubic") || !choose(socket, "bbr"))
    GTEST_SKIP() << "this process may not choose both bbr and cubic";
  set_connection_options(socket);
  EXPECT_EQ(congestion_control(socket), "cubic");
}

TEST(ConnectionOptions, WhatTheSystemChoseOtherwise_Stays) {
  const Connection connection("127.0.0.1", "127.0.0.1");
  const int socket = connection.dialler.get();
  if (!choose(socket, "reno")) GTEST_SKIP() << "this process may not choose reno";
  set_connection_options(socket);
  EXPECT_EQ(congestion_control(socket), "reno");
}

}  // namespace
}  // namespace rondo::transport
