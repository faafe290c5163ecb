#pragma once

// When to look first at a line that a peer on another core is about to write. A look that comes too
// early takes a copy of the line, which the peer's core has to take back before its store shows:
// the message then crosses over twice. Ranks that call in step so lose more than the message takes;
// a rank that leaves the line alone for a moment finds it written.
// How long is a matter of how far the cores are apart, and follows what reading a peer's message
// takes, from time to time measured.
// Threads: one at a time.

#include <cstdint>

#include "core/ticks.h"

namespace rondo::execute {

class FirstLook {
 public:
  /// `ns_per_tick`: see core/ticks.h.
  explicit FirstLook(double ns_per_tick);

  /// This rank's own message has gone out: those of ranks in step do now.
  void sent() { sent_ = ticks_now(); }
  /// Until it is time to look.
  void wait() {
    do looked_ = ticks_now();
    while (looked_ - sent_ < delay_);
  }
  /// The first look found the message, which has been read since.
  void has_read() {
    if (++reads_ % kPeriod == 0) measure(ordered_ticks() - looked_);
  }
  /// Ticks after `sent`.
  Ticks delay() const { return delay_; }
  /// One more reading took so long: the delay follows the shortest of a few, which hold no
  /// interrupts.
  void measure(Ticks reading);

 private:
  static constexpr std::uint32_t kPeriod = 32;  ///< of what is measured costs as much as two looks
  static constexpr std::uint32_t kReadings = 8;

  Ticks apart_;
  Ticks most_;
  Ticks delay_;
  Ticks sent_ = 0;
  Ticks looked_ = 0;
  Ticks shortest_;
  std::uint32_t reads_ = 0;
  std::uint32_t measured_ = 0;
};

}  // namespace rondo::execute
