#include "collectives/verify/value.h"

#include <algorithm>

namespace rondo::verify {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

/// SplitMix64 (G. Steele, D. Lea and C. Flood, OOPSLA 2014): a fixed, well-mixed bijection.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

Value contribution(schedule::Rank rank, std::uint32_t row) {
  const std::uint64_t name = (std::uint64_t{static_cast<std::uint32_t>(rank)} << 32) | row;
  Value value;
  value.sum = mix(name) % (kPrime - 1) + 1;
  value.tree = mix(~name);
  value.first = value.last = rank;
  return value;
}

std::uint64_t field_add(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}

Value combine(const Value& a, const Value& b) {
  Value value;
  value.sum = field_add(a.sum, b.sum);
  value.tree = mix(mix(std::min(a.tree, b.tree)) + std::max(a.tree, b.tree));
  value.sweeps = std::max(a.sweeps, b.sweeps);
  const bool is_next = a.is_in_rank_order() && b.first == b.last && b.first == a.last + 1;
  if (is_next) {
    value.first = a.first;
    value.last = b.last;
  }
  return value;
}

}  // namespace rondo::verify
