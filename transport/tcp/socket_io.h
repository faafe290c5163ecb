#pragma once

// Reading and writing a connected socket without waiting. Threads: as the socket.

#include <sys/uio.h>

#include <cstddef>
#include <span>

namespace rondo::transport {

struct IoResult {
  std::size_t bytes = 0;  ///< moved
  bool would_block = false;
  bool ended = false;  ///< the other side closed, or the connection broke (`error`)
  int error = 0;       ///< errno, 0 for an orderly end
};

IoResult read_some(int socket, std::span<const iovec> targets);
/// `flags` as of send(2), beside those for not waiting and not being killed.
IoResult write_some(int socket, std::span<const iovec> sources, int flags = 0);

/// Reads and forgets what has arrived: closing a socket with unread bytes would reset the
/// connection and take with it what the other side hasn't read yet.
void discard_input(int socket);

/// Ends a TCP connection at once: nothing that waits to be sent is, and the other side reads an
/// error. The descriptor stays.
void reset_connection(int socket);

}  // namespace rondo::transport
