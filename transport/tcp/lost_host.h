#pragma once

// Whether the host at the other end has vanished while it owes an acknowledgement. Keepalive probes
// only connections on which nothing is unacknowledged; on others the kernel itself goes on for a
// quarter of an hour. A rank that is stopped or computes is no such case: its kernel acknowledges
// what comes, and answers the probes of a window that is full.

#include <chrono>

struct tcp_info;

namespace rondo::transport {

/// By what the kernel says of a connection: several sendings or probes in a row are unanswered, and
/// nothing has been acknowledged for `patience`. Behind a window that is full the three probes take
/// some minutes where the wait was long before. The pause alone is no sign of it: the probes of a
/// full window are up to two minutes apart.
bool is_host_lost(const tcp_info& info, std::chrono::milliseconds patience);
/// The same of a socket; one that is no TCP connection has no host to lose.
bool is_host_lost(int socket, std::chrono::milliseconds patience);

}  // namespace rondo::transport
