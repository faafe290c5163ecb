#pragma once

// Events of emulated devices: one of this process, which others may be told of, and another
// process's.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "core/device/emulated/event_board.h"
#include "core/device/shared_handle.h"
#include "core/device/soft_event.h"
#include "core/device/stream.h"
#include "core/status.h"

namespace rondo::device {

/// Threads: any.
class EmulatedEvent final : public detail::EventImpl {
 public:
  explicit EmulatedEvent(Device device) : device_(device) {}

  Device device() const { return device_; }
  bool done() const override { return event_.done(); }
  detail::EventWaiter waiter() const override { return event_.waiter(); }
  Status ring_when_reached(const std::shared_ptr<Bell>& bell) const override {
    return event_.ring_when_reached(bell);
  }

  /// Replaces the latest record by a new one; to be called when the stream gets there, with how it
  /// fared.
  std::function<void(const Status&)> begin_record();
  /// Records from now on are seen by who opens the handle. Errors: Device, System.
  Result<SharedHandle> share(const std::shared_ptr<EventBoard>& board);

 private:
  /// A slot of the board, given back when no record needs it any more.
  struct Lease {
    Lease(std::shared_ptr<EventBoard> lent, std::uint32_t number);
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { board->give_back(index); }

    std::shared_ptr<EventBoard> board;
    std::uint32_t index;
  };
  static void publish(EventSlot& slot, std::uint32_t record, const Status& outcome);

  Device device_;
  SoftEvent event_;
  std::mutex mutex_;
  std::shared_ptr<Lease> lease_;  ///< null: not shared
};

/// Of another process: to be waited for, not to be recorded. Threads: any.
class ImportedEvent final : public detail::EventImpl {
 public:
  /// The handle has been checked, and the board is its process's.
  ImportedEvent(std::shared_ptr<PeerBoard> board, const SharedHandle& handle);

  bool done() const override;
  detail::EventWaiter waiter() const override;

 private:
  std::shared_ptr<PeerBoard> board_;
  std::uint32_t slot_;
  std::string name_;
};

}  // namespace rondo::device
