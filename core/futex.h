#pragma once

// Waiting for a word of memory to change, with a deadline, which std::atomic::wait doesn't have.
// Between threads of one process, or (`_shared`) of all that have mapped the word.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

namespace rondo {

namespace detail {

inline void futex_wait(const std::atomic<std::uint32_t>& word, int operation, std::uint32_t seen,
                       std::chrono::microseconds limit) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  const timespec timeout{.tv_sec = seconds.count(),
                         .tv_nsec = std::chrono::nanoseconds(limit - seconds).count()};
  ::syscall(SYS_futex, &word, operation, seen, &timeout, nullptr, 0);
}

}  // namespace detail

/// Returns once `word` isn't `seen` any more, for at most `limit`, and sometimes sooner.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                       std::chrono::microseconds limit) {
  detail::futex_wait(word, FUTEX_WAIT_PRIVATE, seen, limit);
}
inline void futex_wait_shared(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                              std::chrono::microseconds limit) {
  detail::futex_wait(word, FUTEX_WAIT, seen, limit);
}

/// After `word` was changed: lets one of those go that wait for it.
inline void futex_wake(const std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}
/// The same, and lets all go.
inline void futex_wake_all_shared(const std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace rondo
