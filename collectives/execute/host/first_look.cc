#include "collectives/execute/host/first_look.h"

#include <algorithm>
#include <limits>

namespace rondo::execute {
namespace {

/// What ranks in step are apart, and a store takes until it shows.
constexpr double kApartNs = 30;
/// A rank whose peers have long been there waits no longer than this in vain.
constexpr double kMostNs = 300;
constexpr Ticks kNone = std::numeric_limits<Ticks>::max();

}  // namespace

FirstLook::FirstLook(double ns_per_tick)
    : apart_(static_cast<Ticks>(kApartNs / ns_per_tick)),
      most_(static_cast<Ticks>(kMostNs / ns_per_tick)),
      delay_(apart_),
      shortest_(kNone) {}

/// Trials that fail become rare: each is a message that crosses over twice.
void FirstLook::miss() {
  period_ = std::min(2 * period_, kLongestPeriod);
  is_at_once_ = false;
  until_trial_ = period_;
}

/// A request is half of the time on its way, and finds what was written until then.
void FirstLook::measure(Ticks reading) {
  shortest_ = std::min(shortest_, reading);
  if (++measured_ % kReadings != 0) return;
  delay_ = std::min(apart_ + shortest_ / 2, most_);
  shortest_ = kNone;
}

}  // namespace rondo::execute
