#pragma once

// Ranges of time as a profiler would show them: for tests.
// Threads: any.

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace rondo::device {

struct EmulatedRange {
  std::uint64_t number = 0;  ///< from 1 on
  std::string name;
  bool has_ended = false;
};

class EmulatedRanges {
 public:
  std::uint64_t begin(const char* name) {
    const std::lock_guard lock(mutex_);
    if (latest_.size() == kMost) latest_.pop_front();
    latest_.push_back({++begun_, name});
    return begun_;
  }
  void end(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    for (EmulatedRange& range : latest_)
      if (range.number == number) range.has_ended = true;
  }
  /// The last few, in the order in which they began.
  std::vector<EmulatedRange> latest() const {
    const std::lock_guard lock(mutex_);
    return {latest_.begin(), latest_.end()};
  }

 private:
  static constexpr std::size_t kMost = 64;
  mutable std::mutex mutex_;
  std::deque<EmulatedRange> latest_;
  std::uint64_t begun_ = 0;
};

}  // namespace rondo::device
