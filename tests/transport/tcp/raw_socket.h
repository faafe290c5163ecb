#pragma once

// A plain loopback connection, for tests that play a stranger or a peer that misbehaves.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <span>
#include <string>

#include "core/unique_fd.h"

namespace rondo::transport {

inline UniqueFd dial(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  sockaddr_in target{};
  target.sin_family = AF_INET;
  target.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &target.sin_addr);
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&target), sizeof target) != 0)
    socket.reset();
  return socket;
}

inline void write_all(const UniqueFd& socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

inline bool read_all(const UniqueFd& socket, std::span<std::byte> bytes) {
  return ::recv(socket.get(), bytes.data(), bytes.size(), MSG_WAITALL) ==
         static_cast<ssize_t>(bytes.size());
}

}  // namespace rondo::transport
