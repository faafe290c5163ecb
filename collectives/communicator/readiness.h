#pragma once

// A descriptor that a program's own loop can wait on (poll, epoll, libuv): readable while there is
// something for Communicator::progress to do. Costs nothing until it is asked for.

#include <atomic>
#include <cstddef>

#include "core/status.h"

namespace rondo::communicator {

class Readiness {
 public:
  Readiness() = default;
  ~Readiness();
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;

  /// The descriptor, an eventfd that is made by the first call. Errors: System.
  /// Threads: that of the handle, as for take.
  Result<int> open();
  bool is_open() const { return descriptor_.load(std::memory_order_acquire) >= 0; }
  /// A call has ended. Threads: any.
  void ended();
  /// There is something to do. Threads: any.
  void signal();
  /// Calls that have ended since; the descriptor is no longer readable.
  std::size_t take();

 private:
  std::atomic<int> descriptor_ = -1;
  std::atomic<std::size_t> ended_ = 0;
};

}  // namespace rondo::communicator
