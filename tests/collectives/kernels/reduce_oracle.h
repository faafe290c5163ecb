#pragma once

// The meaning of a reduce kernel in plain loops, one element at a time, written without looking at
// the kernels. And the data and the machine's instruction sets that the tests go through.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "collectives/kernels/instruction_set.h"
#include "collectives/kernels/reduce.h"
#include "tests/collectives/kernels/half_elements.h"

namespace rondo::kernels {

/// What elements are combined in.
template <class T>
using Computed = std::conditional_t<kIsHalf<T>, float, T>;

/// a + b or a * b as if in infinite width, cut to T.
template <class T>
T wrapped(ReduceOp op, T a, T b) {
  // The low bits are the same with or without the sign.
  const auto wide_a = static_cast<std::uint64_t>(a);  // NOLINT(bugprone-signed-char-misuse)
  const auto wide_b = static_cast<std::uint64_t>(b);  // NOLINT(bugprone-signed-char-misuse)
  return static_cast<T>(op == ReduceOp::kProd ? wide_a * wide_b : wide_a + wide_b);
}

template <class T>
T least(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == 0 && b == 0) return std::signbit(a) || std::signbit(b) ? T(-0.0) : T(0.0);
  }
  return b < a ? b : a;
}

template <class T>
T greatest(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == 0 && b == 0) return std::signbit(a) && std::signbit(b) ? T(-0.0) : T(0.0);
  }
  return a < b ? b : a;
}

template <class T>
T combined(ReduceOp op, T a, T b) {
  if (op == ReduceOp::kMin) return least(a, b);
  if (op == ReduceOp::kMax) return greatest(a, b);
  if constexpr (std::is_integral_v<T>) {
    if (op == ReduceOp::kBitAnd) return static_cast<T>(a & b);
    if (op == ReduceOp::kBitOr) return static_cast<T>(a | b);
    if (op == ReduceOp::kBitXor) return static_cast<T>(a ^ b);
  }
  if constexpr (std::is_floating_point_v<T>) {
    return op == ReduceOp::kProd ? a * b : a + b;
  } else {
    return wrapped(op, a, b);
  }
}

template <class T>
std::vector<T> expected(ReduceOp op, const std::vector<std::vector<T>>& sources, std::size_t count,
                        int divisor) {
  std::vector<T> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto value = static_cast<Computed<T>>(sources[0][i]);
    for (std::size_t s = 1; s < sources.size(); ++s) {
      value = combined(op, value, static_cast<Computed<T>>(sources[s][i]));
    }
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      value /= static_cast<std::uint64_t>(divisor);
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(static_cast<std::int64_t>(value) / divisor);
    } else {
      value /= static_cast<Computed<T>>(divisor);
    }
    result[i] = static_cast<T>(value);  // a 16-bit float is rounded here, once
  }
  return result;
}

/// Same bits; for floats two NaNs are equal, whatever their payload (sums and products don't
/// promise one).
template <class T>
bool same_value(T a, T b) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(+a) && std::isnan(+b)) return true;
  }
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the bits are what matters
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Non-integer floats of mixed sign, integers over the whole range (so that they overflow).
template <class T>
std::vector<T> random_data(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> data(count);
  for (T& value : data) {
    if constexpr (kIsFloat<T>) {
      value = T(std::uniform_real_distribution<Computed<T>>(-3, 3)(generator));
    } else {
      value = static_cast<T>(generator());
    }
  }
  return data;
}

/// Calls `check(name)` once for every instruction set that this machine and this build both have.
template <class Check>
void for_each_instruction_set(const Check& check) {
  const InstructionSet best = instruction_set();
  for (const InstructionSet set : instruction_sets_here()) {
    set_instruction_set(set);
    check(std::string(to_string(set)));
  }
  set_instruction_set(best);
}

}  // namespace rondo::kernels
