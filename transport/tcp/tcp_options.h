#pragma once

#include <cstddef>
#include <string>

#include "transport/endpoint/endpoint.h"

namespace rondo::transport {

inline constexpr std::size_t kMostTcpSockets = 16;

/// On kBufferedLane, so many times the window.
inline constexpr std::size_t kBufferedWindows = 4;

constexpr std::size_t window_of_lane(std::size_t window, std::size_t lane) {
  return lane == kBufferedLane ? kBufferedWindows * window : window;
}

struct TcpOptions {
  /// The one address to listen on: an interface's name or an IP address. 0.0.0.0 only if asked for.
  std::string bind = "127.0.0.1";
  /// Messages of one lane and direction that may be under way; a pair uses the smaller of its two.
  std::size_t window = 16;
  /// Largest message; a pair uses the smaller of its two.
  std::size_t max_message_bytes = std::size_t{1} << 30;

  /// Data connections to each peer, 1 to kMostTcpSockets; a pair uses the smaller of its two. Each
  /// message goes by whichever has room first.
  std::size_t sockets = 1;

  /// Payloads of at least so many bytes are sent from where they lie (MSG_ZEROCOPY); 0: none. They
  /// are free only when the peer has acknowledged them.
  std::size_t zero_copy_bytes = 0;

  /// How long an accepted connection may take to say who it is, and how many may be doing so for
  /// each data socket.
  int hello_timeout_ms = 2000;
  std::size_t max_pending_hellos = 64;
  /// How long one attempt to connect may take before the next.
  int dial_attempt_ms = 3000;
  /// How long a peer whose data connection ended may take to say why over the other one.
  int last_words_ms = 200;
  /// How long a peer's host may owe an acknowledgement, in a wait: as long as keepalive takes where
  /// none is owed (connection_options.cc).
  int host_lost_ms = 30'000;
  /// How long the destructor may take to write what has been posted.
  int linger_ms = 2000;
};

}  // namespace rondo::transport
