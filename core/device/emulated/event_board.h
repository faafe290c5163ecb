#pragma once

// Where the emulated devices of a process show other processes how far their events have come: a
// file of slots, one for each event that was exported, which peers map and wait on.
// Threads: any.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/device/emulated/mapping.h"
#include "core/device/shared_handle.h"
#include "core/status.h"
#include "core/unique_fd.h"

namespace rondo::device {

/// Records, counted from 1 over all events that come to have the slot: a peer may still be about to
/// look whether the last record of an event that is gone was reached. They are reached in their
/// order: who exports an event records it in one stream.
struct EventSlot {
  std::atomic<std::uint32_t> recorded = 0;
  std::atomic<std::uint32_t> reached = 0;
  std::atomic<std::uint32_t> failed = 0;  ///< the first record whose stream had failed; 0: none
  std::atomic<std::int32_t> culprit = kNoCulprit;  ///< of that failure
};

class EventBoard {
 public:
  static constexpr std::uint32_t kSlots = 65'536;

  /// Errors: System.
  static Result<std::unique_ptr<EventBoard>> create();

  /// Errors: Device (all slots are in use).
  Result<std::uint32_t> take_slot();
  void give_back(std::uint32_t slot);
  EventSlot& slot(std::uint32_t index) { return slots()[index]; }
  int descriptor() const { return file_.get(); }

 private:
  EventBoard(UniqueFd file, Mapping memory);
  EventSlot* slots() { return reinterpret_cast<EventSlot*>(memory_.data()); }

  UniqueFd file_;
  Mapping memory_;
  std::mutex mutex_;
  std::vector<std::uint32_t> free_;
};

/// Another process's board, and whether that process lives.
class PeerBoard {
 public:
  /// `handle` has been checked. Errors: Device (its process is gone, or its numbers don't fit),
  /// System.
  static Result<std::shared_ptr<PeerBoard>> open(const SharedHandle& handle);

  /// Errors: InvalidArgument (it names a slot that no board has).
  static Status check_slot(const SharedHandle& handle);
  const EventSlot& slot(std::uint32_t index) const {
    return reinterpret_cast<const EventSlot*>(memory_.data())[index];
  }
  bool owner_lives() const;

 private:
  PeerBoard(UniqueFd owner, Mapping memory);

  UniqueFd owner_;  ///< a pidfd
  Mapping memory_;
};

}  // namespace rondo::device
