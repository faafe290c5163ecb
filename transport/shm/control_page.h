#pragma once

// The shared memory that one place offers its peers: a head, and one channel for each rank of its
// host. It is a memfd of fixed size that the owner alone can write to: it is sealed against any
// change of size and against new writable mappings, so a peer can neither damage it nor make it
// fault. It also says how many slots the place has (slot_file.h).
// Threads: as the transport that owns it.

#include <cstddef>
#include <cstdint>

#include "core/status.h"
#include "transport/ring/channel.h"
#include "transport/shm/memfd.h"
#include "transport/shm/shared_view.h"

namespace rondo::transport {

struct ControlPageHead {
  std::uint64_t magic;
  std::uint32_t ranks;             ///< of the host
  std::uint32_t asymmetric_fence;  ///< 1: senders to this place need no fence if they have it too
  std::uint64_t slot_bytes;
  std::uint64_t slot_count;
  std::uint64_t probe_address;  ///< of probe_value, in the owner's process
  std::uint64_t probe_value;
  PlaceHead place;
};

/// The owner's side.
class ControlPage {
 public:
  /// `ranks`: so many the host has. `slots`: how many the place has, and how large. Errors: System.
  static Result<ControlPage> create(int ranks, const Slots& slots);

  int fd() const { return fd_.get(); }
  ControlPageHead& head() const { return *reinterpret_cast<ControlPageHead*>(memory_.get()); }
  /// `index`: the peer's place among the host's ranks.
  Channel& channel(int index) const;

 private:
  ControlPage(UniqueFd fd, SharedView memory) : fd_(std::move(fd)), memory_(std::move(memory)) {}
  UniqueFd fd_;
  SharedView memory_;
};

/// A peer's control page, read-only: its head and the one channel that is for this rank.
class PeerPage {
 public:
  /// `own_index`: this rank's place among the `ranks` of the host.
  /// Errors: DataLoss (not a control page for so many), System.
  static Result<PeerPage> open(UniqueFd fd, int ranks, int own_index);

  const ControlPageHead& head() const {
    return *reinterpret_cast<const ControlPageHead*>(head_.get());
  }
  const Channel& channel() const { return *reinterpret_cast<const Channel*>(channel_.get()); }
  /// How many there are and how large; they lie elsewhere.
  const Slots& slot_shape() const { return slot_shape_; }

 private:
  PeerPage(SharedView head, SharedView channel, const Slots& slot_shape)
      : head_(std::move(head)), channel_(std::move(channel)), slot_shape_(slot_shape) {}
  SharedView head_;
  SharedView channel_;
  Slots slot_shape_;
};

}  // namespace rondo::transport
