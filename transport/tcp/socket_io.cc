#include "transport/tcp/socket_io.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace rondo::transport {
namespace {

IoResult failed_with(int error) {
  if (error == EAGAIN || error == EWOULDBLOCK) return {.would_block = true};
  return {.ended = true, .error = error};
}

}  // namespace

IoResult read_some(int socket, std::span<const iovec> targets) {
  ssize_t moved = -1;
  do {
    moved = targets.size() == 1
                ? ::recv(socket, targets[0].iov_base, targets[0].iov_len, MSG_DONTWAIT)
                : ::readv(socket, targets.data(), static_cast<int>(targets.size()));
  } while (moved < 0 && errno == EINTR);
  if (moved < 0) return failed_with(errno);
  if (moved == 0) return {.ended = true};
  return {.bytes = static_cast<std::size_t>(moved)};
}

IoResult write_some(int socket, std::span<const iovec> sources, int flags) {
  flags |= MSG_DONTWAIT | MSG_NOSIGNAL;
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(sources.data());  // sendmsg only reads it
  message.msg_iovlen = sources.size();
  ssize_t moved = -1;
  do {
    moved = sources.size() == 1 ? ::send(socket, sources[0].iov_base, sources[0].iov_len, flags)
                                : ::sendmsg(socket, &message, flags);
  } while (moved < 0 && errno == EINTR);
  if (moved < 0) return failed_with(errno);
  return {.bytes = static_cast<std::size_t>(moved)};
}

void reset_connection(int socket) {
  sockaddr nobody{};
  nobody.sa_family = AF_UNSPEC;
  // Fails where there is no connection any more.
  static_cast<void>(::connect(socket, &nobody, sizeof nobody));
}

void discard_input(int socket) {
  std::array<std::byte, 16384> bin;
  const std::array<iovec, 1> target{{{bin.data(), bin.size()}}};
  while (read_some(socket, target).bytes > 0) {
  }
}

}  // namespace rondo::transport
