#include "nn/tensor/counter_random.h"

#include <cmath>
#include <numbers>

namespace rondo::nn {
namespace {

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;  // 2^64 divided by the golden ratio, odd

}  // namespace

std::uint64_t digest_of(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char letter : text) {
    value = (value ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  return value;
}

CounterRandom::CounterRandom(std::uint64_t seed, std::string_view name)
    : key_(mix(seed + kStep) ^ mix(digest_of(name))) {}

std::uint64_t CounterRandom::bits(std::uint64_t index) const {
  return mix(mix(key_) + (index + 1) * kStep);
}

double CounterRandom::uniform(std::uint64_t index) const {
  return static_cast<double>(bits(index) >> 11) * 0x1p-53;
}

double CounterRandom::normal(std::uint64_t index) const {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(2 * index)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(2 * index + 1));
}

}  // namespace rondo::nn
