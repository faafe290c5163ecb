#pragma once

// A process whose table of descriptors is nearly full.

#include <sys/resource.h>
#include <unistd.h>

#include <vector>

#include "core/unique_fd.h"

namespace rondo::transport {

/// Until its end this process can have so many more descriptors.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(int room) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    std::vector<UniqueFd> next;
    for (int i = 0; i <= room; ++i) next.emplace_back(::dup(STDERR_FILENO));
    rlimit lowered = before_;
    lowered.rlim_cur = static_cast<rlim_t>(next.back().get());
    ::setrlimit(RLIMIT_NOFILE, &lowered);
  }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }

  /// How many are left.
  static int room() {
    std::vector<UniqueFd> next;
    do next.emplace_back(::dup(STDERR_FILENO));
    while (next.back().valid());
    return static_cast<int>(next.size()) - 1;
  }

 private:
  rlimit before_{};
};

}  // namespace rondo::transport
