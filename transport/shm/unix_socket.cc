#include "transport/shm/unix_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "core/process_limits.h"

namespace rondo::transport {
namespace {

constexpr int kSocketType = SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC;
constexpr int kBacklog = 1024;
constexpr std::size_t kMaxDescriptors = std::tuple_size_v<decltype(Packet::descriptors)>;

// An abstract name starts with a zero byte and has no end mark: the length tells.
struct AbstractAddress {
  sockaddr_un address{};
  socklen_t length = 0;

  explicit AbstractAddress(const std::string& name) {
    address.sun_family = AF_UNIX;
    const std::size_t bytes = std::min(name.size(), sizeof(address.sun_path) - 1);
    std::memcpy(&address.sun_path[1], name.data(), bytes);
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + bytes);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

// Returns how many came.
std::size_t take_descriptors(msghdr& message, Packet& packet) {
  std::size_t taken = 0;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
       head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
      UniqueFd owned(fd);
      if (i >= kMaxDescriptors) continue;
      packet.descriptors[i] = std::move(owned);
      ++taken;
    }
  }
  return taken;
}

}  // namespace

Result<UniqueFd> listen_abstract(const std::string& name) {
  UniqueFd listener(::socket(AF_UNIX, kSocketType, 0));
  if (!listener.valid()) return descriptor_error("creating a Unix socket", errno);
  const AbstractAddress address(name);
  if (::bind(listener.get(), address.get(), address.length) != 0)
    return system_error(fmt::format("binding the Unix socket @{}", name), errno);
  if (::listen(listener.get(), kBacklog) != 0)
    return system_error(fmt::format("listening at the Unix socket @{}", name), errno);
  return listener;
}

Result<std::optional<UniqueFd>> dial_abstract(const std::string& name) {
  UniqueFd socket(::socket(AF_UNIX, kSocketType, 0));
  if (!socket.valid()) return descriptor_error("creating a Unix socket", errno);
  const AbstractAddress address(name);
  if (::connect(socket.get(), address.get(), address.length) == 0)
    return std::optional(std::move(socket));
  if (errno == EAGAIN || errno == EINTR) return std::optional<UniqueFd>();
  if (errno == ECONNREFUSED)
    return Status(
        ErrorCode::kPeerLost,
        fmt::format("nobody listens at the Unix socket @{}: the process has ended", name));
  return system_error(fmt::format("connecting to the Unix socket @{}", name), errno);
}

Result<std::optional<UniqueFd>> accept_from(int listener) {
  UniqueFd socket(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.valid()) return std::optional(std::move(socket));
  if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) return std::optional<UniqueFd>();
  return descriptor_error("accepting at a Unix socket", errno);
}

Result<Credentials> peer_credentials(int socket) {
  ucred credentials{};
  socklen_t length = sizeof(credentials);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
    return system_error("asking who is behind a Unix socket", errno);
  return Credentials{.pid = credentials.pid, .uid = credentials.uid};
}

bool send_packet(int socket, std::span<const std::byte> packet, std::span<const int> descriptors) {
  iovec data{const_cast<std::byte*>(packet.data()), packet.size()};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent = 0;
  do sent = ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

Result<Packet> receive_packet(int socket, std::span<std::byte> buffer) {
  iovec data{buffer.data(), buffer.size()};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
  Packet packet;
  // A peer that closes with packets unread leaves one reset before what it sent: look again.
  for (int resets = 0;;) {
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == ECONNRESET && ++resets < 3) continue;
    if (got < 0 && errno == EAGAIN) return packet;
    if (got < 0 && errno != ECONNRESET) return system_error("receiving from a Unix socket", errno);
    packet.kind = Packet::Kind::kEnd;
    if (got <= 0) return packet;
    const std::size_t taken = take_descriptors(message, packet);
    // The kernel drops those that this process's table has no room for.
    if ((message.msg_flags & MSG_CTRUNC) != 0 && taken < kMaxDescriptors)
      return descriptor_error("receiving a peer's shared memory", EMFILE);
    packet.kind = Packet::Kind::kData;
    packet.bytes = static_cast<std::size_t>(got);
    return packet;
  }
}

}  // namespace rondo::transport
