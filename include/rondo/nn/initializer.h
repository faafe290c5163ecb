#pragma once

#include <cstdint>

namespace rondo::nn::inline v1 {

/// How the startup program sets a parameter's first value.
///
/// Random values depend on the startup program's seed, the parameter's name and the element's
/// position, on nothing else: neither on the rank nor on the standard library.
struct Initializer {
  enum class Kind : std::uint8_t { kUnset, kConstant, kUniform, kNormal, kXavierUniform };
  Kind kind = Kind::kUnset;  ///< unset: the layer's own choice
  double first = 0;          ///< the constant, the lower bound, or the mean
  double second = 0;         ///< the upper bound, or the standard deviation
  std::uint64_t seed = 0;    ///< 0: the program's

  static Initializer constant(double value) { return {Kind::kConstant, value, 0, 0}; }
  static Initializer uniform(double low, double high, std::uint64_t seed = 0) {
    return {Kind::kUniform, low, high, seed};
  }
  static Initializer normal(double mean, double deviation, std::uint64_t seed = 0) {
    return {Kind::kNormal, mean, deviation, seed};
  }
  /// Uniform within +-sqrt(6 / (fan_in + fan_out)): Glorot and Bengio, AISTATS 2010.
  static Initializer xavier_uniform(std::uint64_t seed = 0) {
    return {Kind::kXavierUniform, 0, 0, seed};
  }
};

}  // namespace rondo::nn::inline v1
