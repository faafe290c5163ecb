#pragma once

// Where a process shows others how far its events have come: a file of slots, one for each event
// that was exported. Threads: any.

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "examples/custom_device/shared_file.h"

namespace custom_cpu {

/// Records, counted over all events that come to have the slot, and reached in their order: an
/// event is recorded in one stream.
struct Slot {
  std::atomic<std::uint32_t> recorded;
  std::atomic<std::uint32_t> reached;
  std::atomic<std::uint32_t> failed;  ///< the first record whose stream had failed; 0: none
};

/// Counters run on for ever: whether one isn't behind the other.
inline bool has_reached(std::uint32_t reached, std::uint32_t record) {
  return static_cast<std::int32_t>(reached - record) >= 0;
}

/// An event as another process finds it: plain bytes.
struct EventName {
  FileName file{};
  std::uint32_t slot = 0;
};

/// A slot of this process's, given back with its last owner.
class Lease {
 public:
  /// Null where none is left.
  static std::shared_ptr<Lease> take();
  explicit Lease(std::uint32_t index) : index_(index) {}
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();

  Slot& slot() const;
  EventName name() const;

 private:
  std::uint32_t index_;
};

/// Another process's slots.
class PeerBoard {
 public:
  /// One for all events of a process; null where it has none, or the name is none of these.
  static std::shared_ptr<PeerBoard> open(const EventName& name);
  PeerBoard(const FileName& name, Mapping memory) : name_(name), memory_(std::move(memory)) {}

  const Slot& slot(std::uint32_t index) const;
  bool owner_lives() const { return exists(name_); }

 private:
  FileName name_;
  Mapping memory_;
};

}  // namespace custom_cpu
