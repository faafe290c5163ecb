#pragma once

// What the kernel is told of every connection between two ranks.

namespace rondo::transport {

/// Non-blocking, closed on exec, sent at once (TCP_NODELAY), probed while silent: a host that
/// vanished without a word is noticed after about half a minute. Where the system's congestion
/// control is BBR and the peer is near (a round trip of less than 20 ms), it is cubic instead, if
/// this process may choose it: BBR paces large messages to a rate that it measured between them,
/// and several such senders to one host overrun its port. What the kernel refuses is left as it
/// was.
void set_connection_options(int socket);

}  // namespace rondo::transport
