#pragma once

// How work in a stream waits for another process: it looks, again and again. A real device's
// hardware waits better.

#include <chrono>
#include <thread>

namespace custom_cpu {

/// Until `is_so`; false where it won't be, for `is_lost` is so, which costs more to ask.
template <typename IsSo, typename IsLost>
bool wait_until(const IsSo& is_so, const IsLost& is_lost) {
  constexpr int kYields = 64;
  constexpr int kLooksUntilAsked = 256;
  constexpr std::chrono::microseconds kPause{50};
  for (int looks = 1; !is_so(); ++looks) {
    if (looks % kLooksUntilAsked == 0 && is_lost()) return is_so();
    if (looks < kYields)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace custom_cpu
