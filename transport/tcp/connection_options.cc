#include "transport/tcp/connection_options.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace rondo::transport {
namespace {

constexpr std::string_view kPacing = "bbr";
constexpr std::string_view kByLoss = "cubic";
constexpr std::uint32_t kFarUs = 20'000;

void set(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

bool has(int socket, std::string_view congestion_control) {
  std::array<char, 32> name{};
  socklen_t bytes = name.size();
  return ::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &bytes) == 0 &&
         congestion_control == name.data();
}

bool choose(int socket, std::string_view name) {
  return ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(),
                      static_cast<socklen_t>(name.size())) == 0;
}

std::uint32_t round_trip_us(int socket) {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return 0;
  return info.tcpi_rtt;
}

}  // namespace

bool leave_pacing(int socket) { return has(socket, kPacing) && choose(socket, kByLoss); }

void set_connection_options(int socket, bool left_pacing) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
  // A route may have its own (`ip route ... congctl`), which connections begin with.
  if (round_trip_us(socket) < kFarUs) {
    leave_pacing(socket);
  } else if (left_pacing && has(socket, kByLoss)) {
    choose(socket, kPacing);
  }
}

}  // namespace rondo::transport
