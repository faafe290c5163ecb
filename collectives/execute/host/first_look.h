#pragma once

// When to look first at a line that a peer on another core is about to write. A look that comes too
// early takes a copy of the line, which the peer's core has to take back before its store shows:
// the message then crosses over twice. Ranks that call in step so lose more than the message takes;
// a rank that leaves the line alone for a moment finds it written.
// How long is a matter of how far the cores are apart, and follows what reading a peer's message
// takes, from time to time measured. Whose peers are there before it has no reason to wait: from
// time to time it looks at once, and goes on doing so as long as that is early enough.
// Threads: one at a time.

#include <cstdint>

#include "core/ticks.h"

namespace rondo::execute {

class FirstLook {
 public:
  static constexpr std::uint32_t kShortestPeriod = 16;
  static constexpr std::uint32_t kLongestPeriod = 128;

  /// `ns_per_tick`: see core/ticks.h.
  explicit FirstLook(double ns_per_tick);

  /// This rank's own message has gone out: those of ranks in step do now.
  void sent() {
    if (!is_at_once_) sent_ = ticks_now();
  }
  /// Until it is time to look.
  void wait() {
    if (is_at_once_ && !is_to_be_measured()) return;
    do looked_ = ticks_now();
    while (!is_at_once_ && looked_ - sent_ < delay_);
  }
  /// Whether the message was there.
  void saw(bool hit) {
    if (is_at_once_) {
      if (!hit) return miss();
      period_ = kShortestPeriod;
    } else if (--until_trial_ == 0) {
      is_at_once_ = true;
    }
  }
  /// It was, and has been read since.
  void has_read() {
    if (is_to_be_measured()) measure(ordered_ticks() - looked_);
    ++reads_;
  }
  /// One more reading took so long: the delay follows the shortest of a few, which hold no
  /// interrupts.
  void measure(Ticks reading);

  /// Ticks after `sent`, where it isn't at once.
  Ticks delay() const { return delay_; }
  bool is_at_once() const { return is_at_once_; }

 private:
  static constexpr std::uint32_t kReadPeriod = 32;  ///< to measure takes as long as two looks
  static constexpr std::uint32_t kReadings = 8;

  void miss();
  bool is_to_be_measured() const { return reads_ % kReadPeriod == kReadPeriod - 1; }

  Ticks apart_;
  Ticks most_;
  Ticks delay_;
  Ticks sent_ = 0;
  Ticks looked_ = 0;
  Ticks shortest_;
  std::uint32_t reads_ = 0;
  std::uint32_t measured_ = 0;
  bool is_at_once_ = true;
  std::uint32_t period_ = kShortestPeriod;  ///< calls from one trial to the next
  std::uint32_t until_trial_ = 0;
};

}  // namespace rondo::execute
