#pragma once

// What a place asks now and then while it waits for its peers to connect: whether there is still
// anybody to wait for. Sockets on their way don't tell of a peer that has died.
// Threads: one at a time.

#include <algorithm>
#include <chrono>
#include <functional>

#include "core/status.h"

namespace rondo::transport {

/// An error ends the wait. May itself wait, as for peers that are asked.
using Look = std::function<Status()>;

class Lookout {
 public:
  using Clock = std::chrono::steady_clock;

  /// `look` is borrowed; empty: nobody is asked.
  explicit Lookout(const Look& look) : look_(look) {}

  /// How long to wait for what comes by itself: until it is time to ask, `deadline` at most.
  Clock::time_point next(Clock::time_point deadline) const {
    return look_ ? std::min(deadline, due_) : deadline;
  }
  /// Nothing where it isn't time yet. Errors: those of who is asked.
  Status look() {
    if (!look_ || Clock::now() < due_) return {};
    Status status = look_();
    pause_ = std::min(2 * pause_, kLongestPause);
    due_ = Clock::now() + pause_;
    return status;
  }

 private:
  /// A world connects within moments, or it is large: then asking takes time, too.
  static constexpr std::chrono::milliseconds kLongestPause{100};
  const Look& look_;
  std::chrono::milliseconds pause_{5};
  Clock::time_point due_ = Clock::now() + pause_;
};

}  // namespace rondo::transport
