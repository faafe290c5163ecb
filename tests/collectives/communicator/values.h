#pragma once

// Inputs that differ by rank and index and aren't integers, and what the collectives must make of
// them, computed in fp64 (floats) or with wrapping 64-bit integers.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "rondo/types.h"
#include "tests/collectives/kernels/half_elements.h"

namespace rondo::testing {

inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// The element `index` of the input of `rank`. Products stay in range: their factors are near 1
/// (floats) or small (integers).
template <typename T>
T value(int rank, std::size_t index, ReduceOp op) {
  const std::uint64_t bits = mix(index * 131 + static_cast<std::uint64_t>(rank) + 1);
  if constexpr (kernels::kIsFloat<T>) {
    const double unit = static_cast<double>(bits % 200'003) / 200'003.0;
    return static_cast<T>(op == ReduceOp::kProd ? 0.6 + 0.7 * unit : (unit - 0.5) * 97.0);
  } else {
    return static_cast<T>(static_cast<std::int64_t>(bits % 2'000'003) - 1'000'001);
  }
}

template <typename T>
std::vector<T> values(int rank, std::size_t count, ReduceOp op) {
  std::vector<T> list(count);
  for (std::size_t i = 0; i < count; ++i) list[i] = value<T>(rank, i, op);
  return list;
}

/// The combined element, and how far off a float may be: each of p - 1 additions rounds once, and
/// so does an average's division. (16-bit floats get no more than that: half a last place each
/// time.)
struct Expected {
  double value = 0;
  double tolerance = 0;
  std::int64_t integer = 0;
};

/// An integer, widened; of floats there is nothing to say here.
template <typename T>
std::uint64_t bits_of(T value) {
  if constexpr (std::is_integral_v<T>) return static_cast<std::uint64_t>(value);
  return 0;
}

/// Integers as they are: not every u64 is a double.
template <typename T>
bool is_less(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else {
    return static_cast<double>(+a) < static_cast<double>(+b);
  }
}

template <typename T>
Expected expected(int world, std::size_t index, ReduceOp op) {
  Expected result;
  T extreme{};
  std::uint64_t wrapped = op == ReduceOp::kProd ? 1 : 0;
  double sum = op == ReduceOp::kProd ? 1.0 : 0.0;
  double magnitude = 0;
  for (int rank = 0; rank < world; ++rank) {
    const T x = value<T>(rank, index, op);
    const auto as_double = static_cast<double>(+x);
    magnitude += std::abs(as_double);
    switch (op) {
      case ReduceOp::kSum:
      case ReduceOp::kAvg:
        sum += as_double;
        wrapped += bits_of(x);
        break;
      case ReduceOp::kProd:
        sum *= as_double;
        wrapped *= bits_of(x);
        break;
      case ReduceOp::kMin:
      case ReduceOp::kMax: {
        const bool is_new = op == ReduceOp::kMin ? is_less(x, extreme) : is_less(extreme, x);
        if (rank == 0 || is_new) extreme = x, sum = as_double, wrapped = bits_of(x);
        break;
      }
      case ReduceOp::kBitAnd: wrapped = rank == 0 ? bits_of(x) : wrapped & bits_of(x); break;
      case ReduceOp::kBitOr: wrapped |= bits_of(x); break;
      case ReduceOp::kBitXor: wrapped ^= bits_of(x); break;
    }
  }
  if (op == ReduceOp::kAvg) sum /= world, magnitude /= world;
  if constexpr (std::is_integral_v<T>) {
    auto whole = static_cast<T>(wrapped);
    if (op == ReduceOp::kAvg) whole = static_cast<T>(whole / static_cast<T>(world));
    result.integer = static_cast<std::int64_t>(+whole);
  } else {
    const double last_place = static_cast<double>(+std::numeric_limits<T>::epsilon());
    const double unit = kernels::kIsHalf<T> ? last_place / 2 : last_place;
    const bool rounds = op != ReduceOp::kMin && op != ReduceOp::kMax;
    result.value = sum;
    result.tolerance = rounds ? world * unit * std::max(magnitude, std::abs(sum)) : 0;
  }
  return result;
}

/// Index of the first wrong element, or -1.
template <typename T>
std::ptrdiff_t first_wrong(const T* data, std::size_t count, int world, ReduceOp op,
                           std::size_t first_index = 0) {
  for (std::size_t i = 0; i < count; ++i) {
    const Expected want = expected<T>(world, first_index + i, op);
    if constexpr (std::is_integral_v<T>) {
      if (data[i] != static_cast<T>(want.integer)) return static_cast<std::ptrdiff_t>(i);
    } else {
      const double error = std::abs(static_cast<double>(+data[i]) - want.value);
      if (!(error <= want.tolerance)) return static_cast<std::ptrdiff_t>(i);
    }
  }
  return -1;
}

}  // namespace rondo::testing
