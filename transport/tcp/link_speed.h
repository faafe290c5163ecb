#pragma once

// How fast the link behind an address is said to be, and how many connections it takes to fill it.

#include <cstddef>
#include <optional>
#include <string>

namespace rondo::transport {

/// In Mbit/s, what the kernel says of the interface with this IP address. Nothing for loopback, for
/// most virtual machines' interfaces, and where the address is no interface's.
std::optional<int> link_speed_mbit(const std::string& address);

/// Data connections to each peer: one up to 10 Gbit/s, two up to 25, four above. A connection is
/// one path of a bonded or routed network, and in clouds often limited to 5 or 10 Gbit/s; more of
/// them than it takes only cost system calls.
std::size_t sockets_to_fill(std::optional<int> speed_mbit);

/// As many of `wanted` as `peers` can have with half of the descriptors that this process may open;
/// at least one.
std::size_t sockets_that_fit(std::size_t wanted, std::size_t peers, std::size_t most_descriptors);
std::size_t most_open_descriptors();

}  // namespace rondo::transport
