#pragma once

// What memory means between two places: how a place names its own bytes for its peer, and how it
// reaches bytes that the peer named. Everything a peer says is checked here.
// Threads: one at a time per object.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/status.h"

namespace rondo::transport {

class RemoteMemory {
 public:
  virtual ~RemoteMemory() = default;

  /// The name of own bytes that the peer can map; nothing for private memory.
  virtual std::optional<std::uint64_t> location_of(const std::byte* data, std::size_t bytes) = 0;

  /// Where this process sees bytes that the peer can be asked to lend.
  /// Errors: DataLoss for a location that isn't the peer's to name, System.
  virtual Result<std::byte*> address_of(std::uint64_t location, std::size_t bytes) = 0;

  /// Whether the peer can copy `bytes` from this process's private memory by itself, and is asked
  /// to, instead of getting them through slots.
  virtual bool peer_reads_private(std::size_t bytes) const = 0;

  /// Copies from the peer's private memory. Errors: PeerLost, System.
  virtual Status read_private(std::uint64_t address, std::byte* target, std::size_t bytes) = 0;
};

}  // namespace rondo::transport
