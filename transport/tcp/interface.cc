#include "transport/tcp/interface.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <set>

#include "core/one_line.h"
#include "core/process_limits.h"
#include "core/unique_fd.h"

namespace rondo::transport {
namespace {

// The text of an IPv4 or IPv6 address; empty for other families.
std::string text_of(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address->sa_family == AF_INET)
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  if (address->sa_family == AF_INET6)
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text,
              sizeof text);
  return text;
}

bool is_address(const std::string& text) {
  in6_addr any{};
  return inet_pton(AF_INET, text.c_str(), &any) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &any) == 1;
}

// Whether sockets of this host may have this address, of which `text` is the number.
bool is_own(const std::string& text) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* list = nullptr;
  if (getaddrinfo(text.c_str(), "0", &hints, &list) != 0) return false;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  const UniqueFd socket(::socket(list->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return socket.valid() && ::bind(socket.get(), list->ai_addr, list->ai_addrlen) == 0;
}

}  // namespace

bool is_ip_for_peers(const sockaddr* address) {
  if (address == nullptr) return false;
  if (address->sa_family == AF_INET) return true;
  return address->sa_family == AF_INET6 &&
         !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

Result<std::string> resolve_interface(const std::string& name) {
  if (is_address(name) && is_own(name)) return name;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return descriptor_error("list network interfaces", errno);
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  std::set<std::string> known;
  std::string found_v6;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (!is_ip_for_peers(entry->ifa_addr)) continue;
    known.insert(entry->ifa_name);
    if (name != entry->ifa_name) continue;
    if (entry->ifa_addr->sa_family == AF_INET) return text_of(entry->ifa_addr);
    if (found_v6.empty()) found_v6 = text_of(entry->ifa_addr);
  }
  if (!found_v6.empty()) return found_v6;
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("\"{}\" is neither an IP address of this host nor an interface with "
                            "one; it has: {}",
                            on_one_line(name), fmt::join(known, ", ")));
}

std::string interface_of(const std::string& address) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next)
    if (is_ip_for_peers(entry->ifa_addr) && text_of(entry->ifa_addr) == address)
      return entry->ifa_name;
  return {};
}

Result<std::string> address_towards(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  // The port is never used: connecting a UDP socket only asks the routing table.
  if (const int error = getaddrinfo(host.c_str(), "9", &hints, &list); error != 0)
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("host \"{}\" is unknown: {}", host, gai_strerror(error)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  int last_error = EHOSTUNREACH;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    const UniqueFd socket(::socket(entry->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t own_bytes = sizeof own;
    auto* own_address = reinterpret_cast<sockaddr*>(&own);
    if (socket.valid() && ::connect(socket.get(), entry->ai_addr, entry->ai_addrlen) == 0 &&
        getsockname(socket.get(), own_address, &own_bytes) == 0)
      return text_of(own_address);
    last_error = errno;
  }
  return descriptor_error(fmt::format("no route to \"{}\"", host), last_error);
}

}  // namespace rondo::transport
