#pragma once

// How long tests go on trying random input: a number of trials, or, where CI asks for it
// (RONDO_TEST_FUZZ_SECONDS), so many seconds.

#include <chrono>
#include <cstdlib>

namespace rondo {

class FuzzTime {
 public:
  explicit FuzzTime(int trials) : trials_(trials) {}
  /// Whether there is to be another trial.
  bool next() {
    ++tried_;
    return tried_ <= trials_ || std::chrono::steady_clock::now() < end_;
  }

 private:
  static std::chrono::seconds wanted() {
    const char* const seconds = std::getenv("RONDO_TEST_FUZZ_SECONDS");
    return std::chrono::seconds(seconds == nullptr ? 0 : std::atoi(seconds));
  }

  int trials_;
  int tried_ = 0;
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + wanted();
};

}  // namespace rondo
