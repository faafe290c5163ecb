#pragma once

// A program's own loop around a communicator's descriptor.

#include <gtest/gtest.h>
#include <poll.h>
#include <time.h>

#include <chrono>
#include <cstddef>

#include "rondo/communicator.h"

namespace rondo::testing {

/// Longer than anything here takes, in milliseconds.
constexpr int kLong = 30'000;

inline bool is_readable(int descriptor, int timeout_ms) {
  pollfd polled{descriptor, POLLIN, 0};
  return ::poll(&polled, 1, timeout_ms) == 1;
}

/// Sleeps and moves calls on until so many have ended; how often it was woken for that.
inline int poll_until_ended(Communicator& rank, int descriptor, std::size_t calls) {
  int woken = 0;
  for (std::size_t ended = 0; ended < calls; ++woken) {
    if (!is_readable(descriptor, kLong)) {
      ADD_FAILURE() << "only " << ended << " of " << calls << " calls have ended";
      break;
    }
    ended += rank.progress();
  }
  return woken;
}

/// What this thread has computed.
inline std::chrono::nanoseconds thread_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace rondo::testing
