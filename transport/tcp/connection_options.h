#pragma once

// What the kernel is told of every connection between two ranks.

namespace rondo::transport {

/// Whether the two ends have the same address, or both a loopback one: nothing between them but
/// this host's memory. False for what isn't a connection by IP.
bool stays_on_host(int socket);

/// Non-blocking, closed on exec, sent at once (TCP_NODELAY), probed while silent: a host that
/// vanished without a word is noticed after about half a minute. A connection that stays on its
/// host gets congestion control by loss (cubic), where this process may choose it: nothing is lost
/// there, while a system's BBR paces large messages to a rate that it measured between them.
/// What the kernel refuses is left as it was.
void set_connection_options(int socket);

}  // namespace rondo::transport
