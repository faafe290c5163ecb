#pragma once

// Spans of time that may overlap, taken together.
// Pure; thread-safe.

#include <cstdint>
#include <vector>

namespace rondo::tool {

/// Nanoseconds of one clock; the end isn't before the begin.
struct TimeSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

class CoveredTime {
 public:
  /// In any order.
  explicit CoveredTime(std::vector<TimeSpan> spans);

  /// How much of the time from `begin_ns` to `end_ns` lies in any of the spans; 0 where it ends
  /// before it begins.
  std::int64_t within_ns(std::int64_t begin_ns, std::int64_t end_ns) const;

 private:
  struct Piece {
    TimeSpan span;
    std::int64_t before_ns = 0;  ///< of all pieces before it
  };

  std::int64_t until_ns(std::int64_t instant_ns) const;

  std::vector<Piece> pieces_;  ///< one behind the other, apart
};

}  // namespace rondo::tool
