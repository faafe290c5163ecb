#pragma once

// The slots that one place offers its peers: for each rank of its host those of every lane, in a
// memfd of fixed size. Unlike the control page a peer may write to it, for it gives bytes back
// there; what stands in a slot is data, which nobody decides anything by. Slots take memory only
// once they are used. Before them lie the place's bulletins, which its peers only read, but
// through a mapping that may be written to (BulletinBoard says why).
//
// Threads: as the transport that owns it.

#include <cstddef>

#include "core/status.h"
#include "transport/ring/channel.h"
#include "transport/shm/shared_view.h"

namespace rondo::transport {

/// Slots of every lane of a channel; `memory` isn't looked at.
bool plausible(const Slots& shape);

/// The owner's side.
class SlotFile {
 public:
  /// For a host of so many ranks. Errors: InvalidArgument (shape), System.
  static Result<SlotFile> create(int ranks, const Slots& shape);

  int fd() const { return fd_.get(); }
  /// Its count and bytes are the same for every peer.
  const Slots& shape() const { return shape_; }
  /// `index`: the peer's place among the host's ranks.
  Slots slots(int index) const;
  BulletinBoard& bulletins() const { return *reinterpret_cast<BulletinBoard*>(memory_.get()); }

 private:
  SlotFile(UniqueFd fd, SharedView memory, const Slots& shape)
      : fd_(std::move(fd)), memory_(std::move(memory)), shape_(shape) {}
  UniqueFd fd_;
  SharedView memory_;
  Slots shape_;
};

/// A peer's, of which this rank sees its own part alone, and the bulletins.
class PeerSlots {
 public:
  /// `own_index`: this rank's place among the host's.
  /// Errors: DataLoss (smaller than its owner says), System.
  static Result<PeerSlots> open(UniqueFd fd, const Slots& shape, int own_index);

  const Slots& slots() const { return slots_; }
  const BulletinBoard& bulletins() const {
    return *reinterpret_cast<const BulletinBoard*>(bulletins_.get());
  }

 private:
  PeerSlots(SharedView bulletins, SharedView memory, const Slots& slots)
      : bulletins_(std::move(bulletins)), memory_(std::move(memory)), slots_(slots) {}
  SharedView bulletins_;
  SharedView memory_;
  Slots slots_;
};

}  // namespace rondo::transport
