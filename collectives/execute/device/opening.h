#pragma once

// Whether what a peer of another process has told of can be opened now. Where other memory lay at
// its address, and the closing of that is put off (core/device/cuda/frees.h), it can't: whoever
// opened it all the same would wait in the driver, maybe for what only he himself lets go on. That
// is waited for here, between looks, while other calls come to their ends; but not for long, since
// it may be a stream that stands still at this very call. Threads: those of the place.

#include <chrono>
#include <optional>
#include <span>

#include "collectives/execute/device/device_place.h"
#include "collectives/execute/device/notice.h"
#include "core/status.h"

namespace rondo::execute {

class Opening {
 public:
  static constexpr std::chrono::milliseconds kPatience{2'000};

  /// Begins a call; with a peer of this process nothing is opened.
  void begin(bool in_this_process) {
    done_ = in_this_process;
    since_.reset();
  }
  /// True if all of it can be opened, from now on. Errors: Device, with the peer as the culprit
  /// (not within kPatience).
  Result<bool> look(DevicePlace& place, std::span<const Region> regions, int peer);
  bool done() const { return done_; }
  /// What a call ends with whose deadline is over: why, with the peer as the culprit, where it has
  /// waited for this and nobody else is at fault: for a peer that says nothing, say.
  Status explained(Status timeout, const DevicePlace& place, int peer) const;

 private:
  bool done_ = false;
  std::optional<std::chrono::steady_clock::time_point> since_;
};

}  // namespace rondo::execute
