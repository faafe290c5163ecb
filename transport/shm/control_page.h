#pragma once

// The shared memory that one place offers its peers: a head, and one channel for each rank of the
// world. It is a memfd of fixed size that the owner alone can write to: it is sealed against any
// change of size and against new writable mappings, so a peer can neither damage it nor make it
// fault. Slots are behind each channel and take memory only once they are used.
// Threads: as the transport that owns it.

#include <cstddef>
#include <cstdint>

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

/// The owner's side.
class ControlPage {
 public:
  /// Errors: InvalidArgument (options), System.
  static Result<ControlPage> create(int world, const ShmOptions& options);

  int fd() const { return fd_.get(); }
  ControlPageHead& head() const { return *reinterpret_cast<ControlPageHead*>(mapping_.data()); }
  Channel& channel(int peer) const;
  Slots slots(int peer) const;

 private:
  ControlPage(UniqueFd fd, Mapping mapping) : fd_(std::move(fd)), mapping_(std::move(mapping)) {}
  UniqueFd fd_;
  Mapping mapping_;
};

/// A peer's control page, read-only: its head and the one channel that is for this rank.
class PeerPage {
 public:
  /// Errors: DataLoss (not a control page of this world), System.
  static Result<PeerPage> open(UniqueFd fd, int world, int own_rank);

  const ControlPageHead& head() const {
    return *reinterpret_cast<const ControlPageHead*>(head_.data());
  }
  const Channel& channel() const { return *reinterpret_cast<const Channel*>(channel_.data()); }
  const Slots& slots() const { return slots_; }

 private:
  PeerPage(Mapping head, Mapping channel, Slots slots)
      : head_(std::move(head)), channel_(std::move(channel)), slots_(slots) {}
  Mapping head_;
  Mapping channel_;
  Slots slots_;
};

}  // namespace rondo::transport
