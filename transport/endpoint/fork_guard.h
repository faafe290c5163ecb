#pragma once

// Descriptors that stay this process's alone: a child that it forks finds in their place a socket
// that is connected to nobody. Peers learn by its connections that a process has ended, and a child
// would hold them open; and whatever a child does with its copies, ending in the ordinary way
// included, its parent would seem to do.
// Not for what a program starts by exec: that is FD_CLOEXEC's business.
// Threads: any.

#include <sys/types.h>
#include <unistd.h>

#include <vector>

#include "core/status.h"

namespace rondo::transport {

class ForkGuard {
 public:
  /// Before the first guard of this process is made, and as often as one likes. Errors: System.
  static Status prepare();

  /// `descriptors` are open under these numbers for as long as the guard lives.
  explicit ForkGuard(std::vector<int> descriptors);
  ~ForkGuard();
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;

  /// This process was forked from the one that made the guard: what it shares with that one, as
  /// memory, isn't its own either.
  bool is_in_child() const { return ::getpid() != owner_; }

 private:
  static void give_up_in_child();

  std::vector<int> descriptors_;
  pid_t owner_ = ::getpid();
};

}  // namespace rondo::transport
