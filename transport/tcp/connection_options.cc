#include "transport/tcp/connection_options.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <string>
#include <string_view>

namespace rondo::transport {
namespace {

using NameFunction = int(int, sockaddr*, socklen_t*);

/// The address of one end as text; empty for what has none.
std::string address_of(int socket, NameFunction& get_name) {
  sockaddr_storage name{};
  socklen_t bytes = sizeof name;
  auto* address = reinterpret_cast<sockaddr*>(&name);
  std::array<char, NI_MAXHOST> text{};
  if (get_name(socket, address, &bytes) != 0) return {};
  if (name.ss_family != AF_INET && name.ss_family != AF_INET6) return {};
  if (::getnameinfo(address, bytes, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return {};
  return text.data();
}

bool is_loopback(std::string_view address) { return address.starts_with("127."); }

void set(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

bool stays_on_host(int socket) {
  const std::string own = address_of(socket, ::getsockname);
  const std::string peer = address_of(socket, ::getpeername);
  return !own.empty() && (own == peer || (is_loopback(own) && is_loopback(peer)));
}

void set_connection_options(int socket) {
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, 4);
  constexpr std::string_view kByLoss = "cubic";
  if (stays_on_host(socket))
    ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, kByLoss.data(), kByLoss.size());
}

}  // namespace rondo::transport
