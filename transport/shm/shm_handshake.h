#pragma once

// Opening one connection: checks who is there (by the kernel's word and by the hello), exchanges
// the descriptors of control page, slots and registered pool, maps the peer's, and tells the peer
// whether this process can read its private memory. The rules of the hello are transport/wire's.
// Threads: one at a time. Never waits.

#include <memory>
#include <optional>
#include <variant>

#include "core/status.h"
#include "transport/endpoint/transport.h"
#include "transport/shm/control_page.h"
#include "transport/shm/host_ranks.h"
#include "transport/shm/shm_memory.h"
#include "transport/shm/slot_file.h"
#include "transport/shm/unix_socket.h"
#include "transport/wire/handshake.h"

namespace rondo::transport {

/// What this place brings to every handshake; borrowed.
struct ShmPlace {
  Identity identity;
  HostRanks host_ranks;  ///< this one among them
  const ControlPage* page = nullptr;
  const SlotFile* slots = nullptr;
  const RegisteredPool* pool = nullptr;
  std::size_t private_read_bytes = 0;
};

/// A connected peer: all that an endpoint needs.
struct ShmPeer {
  int rank = -1;
  pid_t pid = 0;
  UniqueFd socket;
  std::unique_ptr<PeerPage> page;
  std::unique_ptr<PeerSlots> slots;
  std::unique_ptr<ShmMemory> memory;
};

class ShmHandshake {
 public:
  /// `dialled`: the rank that was dialled, or nothing on the side that accepted.
  ShmHandshake(const ShmPlace& own, UniqueFd socket, std::optional<int> dialled);

  /// Errors: Mismatch (another user), System.
  Status start();
  /// Goes on as far as packets have come. Errors: what the machines of transport/wire say, DataLoss
  /// for memory that isn't what it should be.
  Status step();

  int socket() const { return peer_.socket.get(); }
  bool has_dialled() const { return dial_.has_value(); }
  /// Known once the hello was checked; -1 before.
  int rank() const { return peer_.rank; }
  bool done() const { return stage_ == Stage::kDone; }
  ShmPeer take() && { return std::move(peer_); }

 private:
  enum class Stage : std::uint8_t { kHello, kReady, kDone };
  Status take_hello(Packet packet, std::span<const std::byte> bytes);
  Status map_peer(Packet packet);
  Status take_ready(std::span<const std::byte> bytes);
  bool send(std::span<const std::byte> bytes, bool with_descriptors) const;

  const ShmPlace& own_;
  Stage stage_ = Stage::kHello;
  std::optional<DialHandshake> dial_;
  AcceptHandshake accept_;
  ShmPeer peer_;
};

}  // namespace rondo::transport
