#pragma once

// Random numbers by position: number i of a stream is a hash of (key, i), so any part of a stream
// can be made on any rank, in any order, and is the same with every standard library.
// Source: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), applied to a counter as in
// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

#include <cstdint>
#include <string_view>

namespace rondo::nn {

/// A digest of a text, the same in every process (FNV-1a).
std::uint64_t digest_of(std::string_view text);

class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t key) : key_(key) {}
  /// The stream of one variable under one seed.
  CounterRandom(std::uint64_t seed, std::string_view name);

  std::uint64_t bits(std::uint64_t index) const;
  /// In [0, 1), with 53 random bits.
  double uniform(std::uint64_t index) const;
  /// Mean 0, deviation 1 (Box and Muller); uses the numbers 2*index and 2*index + 1.
  double normal(std::uint64_t index) const;

 private:
  std::uint64_t key_;
};

}  // namespace rondo::nn
