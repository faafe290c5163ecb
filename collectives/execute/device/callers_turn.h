#pragma once

// The place of a call in its caller's stream (Operands::ready): what that stream holds comes first.
//
// What fails the caller's stream fails those of the call, too. But the events of some kinds carry
// no failure to other processes: what a rank's peers put behind its events is done on whatever lies
// in its buffers then, and they, and the peers of theirs, would end the call well. So a rank tells
// its peers of no work while a call of the host's, which the caller's stream stands still for, may
// still fail it. Work of the device itself isn't waited for.

#include <memory>
#include <utility>

#include "core/device/stream.h"

namespace rondo::execute {

class CallersTurn {
 public:
  /// Begins a call; null: it is made now.
  void begin(const detail::EventImpl* ready) {
    ready_ = ready;
    is_rung_for_ = false;
  }
  bool is_to_come() const { return ready_ != nullptr; }
  /// True once: when it has come.
  bool comes() {
    if (ready_ == nullptr || !ready_->done()) return false;
    ready_ = nullptr;
    return true;
  }
  /// Whether it may still fail `stream`, which waits for it, by a call of the host's.
  bool may_fail(const detail::StreamImpl& stream) const {
    return ready_ != nullptr && stream.awaits_host();
  }
  /// Asked for once, however often its waiter goes to sleep.
  void ring_when_it_comes(const std::shared_ptr<Bell>& bell) {
    if (ready_ == nullptr || std::exchange(is_rung_for_, true)) return;
    // Where the device doesn't, the waiter looks again by itself.
    static_cast<void>(ready_->ring_when_reached(bell));
  }

 private:
  const detail::EventImpl* ready_ = nullptr;  ///< until it is reached
  bool is_rung_for_ = false;
};

}  // namespace rondo::execute
