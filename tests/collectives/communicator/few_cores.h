#pragma once

// Threads that are made meanwhile run on the first few of this thread's cores.

#include <sched.h>

#include <cstddef>

namespace rondo::testing {

class FewCores {
 public:
  explicit FewCores(int count) {
    ::sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t few;
    CPU_ZERO(&few);
    for (std::size_t core = 0; core < CPU_SETSIZE && cores_ < count; ++core) {
      if (!CPU_ISSET(core, &before_)) continue;
      CPU_SET(core, &few);
      ++cores_;
    }
    ::sched_setaffinity(0, sizeof(few), &few);
  }
  ~FewCores() { ::sched_setaffinity(0, sizeof(before_), &before_); }
  FewCores(const FewCores&) = delete;
  FewCores& operator=(const FewCores&) = delete;

  /// Fewer than asked for where there are no more.
  int cores() const { return cores_; }

 private:
  cpu_set_t before_{};
  int cores_ = 0;
};

}  // namespace rondo::testing
