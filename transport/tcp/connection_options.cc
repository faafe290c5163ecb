#include "transport/tcp/connection_options.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace rondo::transport {
namespace {

constexpr std::string_view kPacing = "bbr";
constexpr std::string_view kByLoss = "cubic";
constexpr std::uint32_t kNearUs = 20'000;

void set(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

bool is_paced(int socket) {
  std::array<char, 32> name{};
  socklen_t bytes = name.size();
  return ::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &bytes) == 0 &&
         kPacing == name.data();
}

std::uint32_t round_trip_us(int socket) {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0)
    return std::numeric_limits<std::uint32_t>::max();
  return info.tcpi_rtt;
}

}  // namespace

void set_connection_options(int socket) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
  if (is_paced(socket) && round_trip_us(socket) < kNearUs)
    ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, kByLoss.data(), kByLoss.size());
}

}  // namespace rondo::transport
