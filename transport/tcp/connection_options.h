#pragma once

// What the kernel is told of every connection between two ranks.

namespace rondo::transport {

/// Before it connects or listens: where the system's congestion control is BBR, the socket gets
/// cubic instead, if this process may choose it. What BBR has begun is paced for good, by whatever
/// follows it, to a rate that a single late acknowledgement makes slow. Whether it was so.
bool leave_pacing(int socket);

/// Once connected. Non-blocking, closed on exec, sent at once (TCP_NODELAY), probed while silent: a
/// host that vanished without a word is noticed after about half a minute, unless something is
/// unacknowledged, for then the kernel doesn't probe (see lost_host.h). `left_pacing`: what
/// leave_pacing said; where the peer is far (a round trip of 20 ms or more) the connection goes
/// back to BBR, which is the better one there. To near ones it paces large messages to a rate that
/// it measured between them, and several such senders to one host overrun its port. What the kernel
/// refuses is left as it was.
void set_connection_options(int socket, bool left_pacing);

}  // namespace rondo::transport
