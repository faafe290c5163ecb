#pragma once

// The shared memory that one place offers its peers: a head, and one channel for each rank of the
// world. It is a memfd of fixed size that the owner alone can write to: it is sealed against any
// change of size and against new writable mappings, so a peer can neither damage it nor make it
// fault. Slots are behind each channel and take memory only once they are used.
// Threads: as the transport that owns it.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/status.h"
#include "transport/ring/channel.h"
#include "transport/shm/memfd.h"
#include "transport/shm/shm_options.h"

namespace rondo::transport {

struct ControlPageHead {
  std::uint64_t magic;
  std::uint32_t world;
  std::uint32_t asymmetric_fence;  ///< 1: senders to this place need no fence if they have it too
  std::uint64_t slot_bytes;
  std::uint64_t slot_count;
  std::uint64_t probe_address;  ///< of probe_value, in the owner's process
  std::uint64_t probe_value;
  PlaceHead place;
};

/// Mapped memory, kept as long as anybody looks at it.
using SharedView = std::shared_ptr<std::byte>;

/// The owner's side.
class ControlPage {
 public:
  /// Errors: InvalidArgument (options), System.
  static Result<ControlPage> create(int world, const ShmOptions& options);

  int fd() const { return fd_.get(); }
  ControlPageHead& head() const { return *reinterpret_cast<ControlPageHead*>(memory_.get()); }
  Channel& channel(int peer) const;
  Slots slots(int peer) const;

 private:
  ControlPage(UniqueFd fd, SharedView memory) : fd_(std::move(fd)), memory_(std::move(memory)) {}
  UniqueFd fd_;
  SharedView memory_;
};

/// A peer's control page, read-only: its head and the one channel that is for this rank. A page of
/// this very process isn't mapped again: one line, one address, by which ThreadSanitizer knows it.
class PeerPage {
 public:
  /// Errors: DataLoss (not a control page of this world), System.
  static Result<PeerPage> open(UniqueFd fd, int world, int own_rank);

  const ControlPageHead& head() const {
    return *reinterpret_cast<const ControlPageHead*>(head_.get());
  }
  const Channel& channel() const { return *reinterpret_cast<const Channel*>(channel_.get()); }
  const Slots& slots() const { return slots_; }

 private:
  PeerPage(SharedView head, SharedView channel, Slots slots)
      : head_(std::move(head)), channel_(std::move(channel)), slots_(slots) {}
  SharedView head_;
  SharedView channel_;
  Slots slots_;
};

}  // namespace rondo::transport
