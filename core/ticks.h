#pragma once

// The cheapest clock there is, for times inside a call: the processor's own counter where it runs
// at one rate on all cores (13 ns a reading instead of 33), else the monotonic clock. Ticks become
// nanoseconds of CLOCK_MONOTONIC when they are looked at, not when they are taken.
// Threads: any.

#include <chrono>
#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace rondo {

using Ticks = std::uint64_t;

/// Whether the counter runs at one rate, whatever the core and its clock do.
bool has_steady_counter();
#if defined(__x86_64__)
inline const bool kUsesCounter = has_steady_counter();
#endif

inline Ticks ticks_now() {
#if defined(__x86_64__)
  if (kUsesCounter) return __rdtsc();
#elif defined(__aarch64__)
  Ticks ticks = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<Ticks>(std::chrono::nanoseconds(now).count());
}

/// The same once what came before has been done, as far as the processor lets that be asked for
/// cheaply: what was read has arrived.
inline Ticks ordered_ticks() {
#if defined(__x86_64__)
  if (kUsesCounter) {
    unsigned core = 0;
    return __rdtscp(&core);
  }
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
  return ticks_now();
}

/// One instant on both clocks, as close together as they can be read.
struct TickAnchor {
  Ticks ticks = 0;
  std::int64_t ns = 0;  ///< CLOCK_MONOTONIC
};
TickAnchor tick_anchor();
/// That of when this process first asked.
const TickAnchor& process_anchor();

/// Ticks between two anchors (and not far outside) as nanoseconds. The second is taken at least a
/// millisecond after the first, so that what the readings themselves take is a part in 10,000.
class TickScale {
 public:
  /// Takes the second anchor now, waiting for it to be late enough.
  explicit TickScale(const TickAnchor& first);
  TickScale(const TickAnchor& first, const TickAnchor& second);

  /// An instant on CLOCK_MONOTONIC.
  std::int64_t instant_ns(Ticks ticks) const;
  std::int64_t duration_ns(Ticks ticks) const;
  double ns_per_tick() const { return ns_per_tick_; }

 private:
  TickAnchor first_;
  double ns_per_tick_;
};

/// Of this process. The first caller of all may have to wait a millisecond.
double ns_per_tick();

}  // namespace rondo
