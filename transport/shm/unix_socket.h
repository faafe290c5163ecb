#pragma once

// Packet sockets between processes of one host, by abstract names: no file anywhere, and packets
// carry descriptors. Nothing here waits.
// Threads: any, one at a time per socket.

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/status.h"
#include "transport/shm/memfd.h"

namespace rondo::transport {

struct Credentials {
  pid_t pid = 0;  ///< 0 where the peer lives in a process namespace that isn't seen from here
  uid_t uid = 0;
};

/// What one look at a socket found.
struct Packet {
  enum class Kind : std::uint8_t { kNothing, kData, kEnd };
  Kind kind = Kind::kNothing;
  std::size_t bytes = 0;
  std::array<UniqueFd, 3> descriptors;  ///< those that came with it
};

/// Errors: System.
Result<UniqueFd> listen_abstract(const std::string& name);
/// Nothing while the listener's queue is full. Errors: PeerLost (nobody listens), System.
Result<std::optional<UniqueFd>> dial_abstract(const std::string& name);
/// Nothing where nobody dialled. Errors: System.
Result<std::optional<UniqueFd>> accept_from(int listener);
/// Who is on the other side, as the kernel knows it. Errors: System.
Result<Credentials> peer_credentials(int socket);

/// False where the packet couldn't be sent at once; that the peer has gone shows at receiving.
bool send_packet(int socket, std::span<const std::byte> packet,
                 std::span<const int> descriptors = {});
/// Errors: System, also where this process can't have the descriptors that came: none is left open.
Result<Packet> receive_packet(int socket, std::span<std::byte> buffer);

}  // namespace rondo::transport
