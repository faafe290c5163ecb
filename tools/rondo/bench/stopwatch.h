#pragma once

// The clock that calls are timed with.

#include <chrono>

namespace rondo::tool {

using Clock = std::chrono::steady_clock;

inline double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

}  // namespace rondo::tool
