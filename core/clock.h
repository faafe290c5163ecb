#pragma once

// Monotonic time behind an interface, so that timeouts and heartbeats are tested without waiting.
// Threads: any.

#include <atomic>
#include <chrono>
#include <cstdint>

namespace rondo {

using Instant = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  /// Never goes back.
  virtual Instant now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Instant now() const override { return std::chrono::steady_clock::now(); }
};

/// Stands still until it is told to go on.
class ManualClock final : public Clock {
 public:
  Instant now() const override { return Instant(std::chrono::nanoseconds(elapsed_ns_.load())); }
  void advance(std::chrono::nanoseconds step) { elapsed_ns_ += step.count(); }

 private:
  // Not 0 at the start: code that takes the epoch for "never" must not pass by luck.
  std::atomic<std::int64_t> elapsed_ns_{1'000'000'000};
};

constexpr std::int64_t nanoseconds_between(Instant start, Instant end) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
}

constexpr double microseconds_between(Instant start, Instant end) {
  return static_cast<double>(nanoseconds_between(start, end)) * 1e-3;
}

}  // namespace rondo
