#pragma once

// Between two looks at whether a device has got somewhere: at first hardly any time, and then as
// much as has been waited already, up to a tenth of a millisecond. The driver's own functions that
// block can't be given up when a peer has died, so nobody calls them.

#include <algorithm>
#include <chrono>
#include <thread>

namespace rondo::device {

class Patience {
 public:
  void wait() {
    if (looks_++ < kFreeLooks) {
      std::this_thread::yield();
      return;
    }
    // house-allow(sleep): there is nothing that a device would wake us by.
    std::this_thread::sleep_for(pause_);
    pause_ = std::min(pause_ * 2, kLongest);
  }

 private:
  static constexpr int kFreeLooks = 64;
  static constexpr std::chrono::microseconds kLongest{100};

  int looks_ = 0;
  std::chrono::microseconds pause_{1};
};

}  // namespace rondo::device
