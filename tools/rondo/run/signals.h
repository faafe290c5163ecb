#pragma once

// Signals as a descriptor: blocked while this lives, and read in the poll loop. What is ignored
// from the start (nohup, a script's job in the background) stays so: blocked, it would come all the
// same. Threads: made before any other thread.

#include <signal.h>

#include <vector>

#include "core/unique_fd.h"

namespace rondo::tool {

class Signals {
 public:
  /// Those of `numbers` that aren't ignored.
  explicit Signals(const std::vector<int>& numbers);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int fd() const { return fd_.get(); }
  /// A signal that has come; 0: none.
  int take();
  /// The mask before.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
  UniqueFd fd_;
};

}  // namespace rondo::tool
