#include "core/ticks.h"

#include <array>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace rondo {
namespace {

std::int64_t monotonic_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::nanoseconds(now).count();
}

TickAnchor later_anchor(const TickAnchor& first) {
  constexpr std::int64_t kLeastNs = 1'000'000;
  TickAnchor second = tick_anchor();
  while (second.ns - first.ns < kLeastNs) second = tick_anchor();
  return second;
}

}  // namespace

bool has_steady_counter() {
#if defined(__x86_64__)
  constexpr unsigned kPowerLeaf = 0x80000007;
  constexpr unsigned kInvariantCounter = 1U << 8;
  std::array<unsigned, 4> registers{};
  auto& [a, b, c, d] = registers;
  return __get_cpuid(kPowerLeaf, &a, &b, &c, &d) != 0 && (d & kInvariantCounter) != 0;
#else
  return false;
#endif
}

// Of a few tries the one in which the least came between the readings.
TickAnchor tick_anchor() {
  constexpr int kTries = 5;
  TickAnchor best;
  Ticks least = ~Ticks{0};
  for (int i = 0; i < kTries; ++i) {
    const Ticks before = ticks_now();
    const std::int64_t ns = monotonic_ns();
    const Ticks between = ticks_now() - before;
    if (between >= least) continue;
    least = between;
    best = {before + between / 2, ns};
  }
  return best;
}

const TickAnchor& process_anchor() {
  static const TickAnchor anchor = tick_anchor();
  return anchor;
}

double ns_per_tick() {
  static const double ns = TickScale(process_anchor()).ns_per_tick();
  return ns;
}

TickScale::TickScale(const TickAnchor& first) : TickScale(first, later_anchor(first)) {}

TickScale::TickScale(const TickAnchor& first, const TickAnchor& second)
    : first_(first),
      ns_per_tick_(static_cast<double>(second.ns - first.ns) /
                   static_cast<double>(second.ticks - first.ticks)) {}

std::int64_t TickScale::instant_ns(Ticks ticks) const {
  const auto since = static_cast<std::int64_t>(ticks - first_.ticks);
  return first_.ns + static_cast<std::int64_t>(static_cast<double>(since) * ns_per_tick_);
}

std::int64_t TickScale::duration_ns(Ticks ticks) const {
  return static_cast<std::int64_t>(static_cast<double>(ticks) * ns_per_tick_);
}

}  // namespace rondo
