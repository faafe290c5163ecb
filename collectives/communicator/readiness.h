#pragma once

// A descriptor that a program's own loop can wait on (poll, epoll, libuv): readable while there is
// something for Communicator::progress to do. Costs nothing until it is asked for.
//
// Where the program's loop is all that moves calls on, it sleeps on what a waiting rank would, and
// as long: on peers' messages and on a timer.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/status.h"
#include "core/unique_fd.h"

namespace rondo::communicator {

class Readiness {
 public:
  static constexpr int kNobodySleeps = -1;

  Readiness() = default;
  Readiness(const Readiness&) = delete;
  Readiness& operator=(const Readiness&) = delete;

  /// The descriptor, which the first call makes. `wake_fd`: what the program's loop sleeps on
  /// (Waiter::wake_fd), where nobody else does for it. Errors: System.
  /// Threads: that of the handle, as for take.
  Result<int> open(int wake_fd);
  bool is_open() const { return descriptor_.load(std::memory_order_acquire) >= 0; }
  bool has_sleeper() const { return is_open() && timer_.valid(); }
  /// A call has ended. Threads: any.
  void ended();
  /// There is something to do. Threads: any.
  void signal();
  /// Calls that have ended since; the descriptor is no longer readable for `ended` and `signal`.
  std::size_t take();
  bool has_ended() const { return ended_.load(std::memory_order_relaxed) != 0; }

  /// The descriptor is readable where `wake_fd` is, or when so long is over, until `disarm`.
  /// Only where it has a sleeper. Threads: whoever moves calls on.
  void arm(std::int64_t most_ms);
  void disarm();

 private:
  Status open_sleep(int wake_fd);
  void set(std::uint32_t events, std::int64_t most_ms);

  UniqueFd signals_;
  UniqueFd either_;  ///< signals, or what wakes
  UniqueFd timer_;
  int wake_fd_ = kNobodySleeps;
  std::atomic<int> descriptor_ = -1;
  std::atomic<std::size_t> ended_ = 0;
};

}  // namespace rondo::communicator
