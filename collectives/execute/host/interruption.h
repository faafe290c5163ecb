#pragma once

// What another thread of the program wants of whoever waits in a call: that it gives up. For good:
// the communicator ends with it. Threads: any.

#include <atomic>
#include <mutex>
#include <utility>

#include "core/status.h"

namespace rondo::execute {

class Interruption {
 public:
  /// The first one's cause counts. Whoever sleeps in a wait has to be woken behind it.
  void ask(Status cause) {
    const std::lock_guard lock(mutex_);
    if (cause_.ok()) cause_ = std::move(cause);
    is_asked_.store(true, std::memory_order_seq_cst);
  }
  bool is_asked() const { return is_asked_.load(std::memory_order_seq_cst); }
  /// Once it was asked for.
  Status cause() const {
    const std::lock_guard lock(mutex_);
    return cause_;
  }

 private:
  std::atomic<bool> is_asked_ = false;
  mutable std::mutex mutex_;
  Status cause_;
};

}  // namespace rondo::execute
