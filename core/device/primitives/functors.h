#pragma once

// What the compute primitives apply to elements. Each is a value with operator().

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/device/primitives/block.h"

#ifndef __CUDACC__
#include <cmath>
#endif

namespace rondo::primitives {

/// The unsigned integer that has T's bits.
template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

struct Identity {
  template <class T>
  RONDO_KERNEL_INLINE T operator()(T a) const {
    return a;
  }
};

struct Exp {
  RONDO_KERNEL_INLINE float operator()(float a) const { return expf(a); }
  RONDO_KERNEL_INLINE double operator()(double a) const { return exp(a); }
};

struct Relu {
  template <class T>
  RONDO_KERNEL_INLINE T operator()(T a) const {
    return a < T{0} ? T{0} : a;
  }
};

/// Integers wrap where they are given as unsigned types.
struct Add {
  template <class T>
  RONDO_KERNEL_INLINE T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};

struct Subtract {
  template <class T>
  RONDO_KERNEL_INLINE T operator()(T a, T b) const {
    return static_cast<T>(a - b);
  }
};

struct Multiply {
  template <class T>
  RONDO_KERNEL_INLINE T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
};

struct Divide {
  template <class T>
  RONDO_KERNEL_INLINE T operator()(T a, T b) const {
    return static_cast<T>(a / b);
  }
};

struct MultiplyAdd {
  template <class T>
  RONDO_KERNEL_INLINE T operator()(T a, T b, T c) const {
    return static_cast<T>(a * b + c);
  }
};

template <class T>
RONDO_KERNEL_INLINE bool is_nan(T a) {
  return a != a;  // NOLINT(misc-redundant-expression): that is what a NaN is
}

/// The NaN that minimum and maximum give, whichever they were given.
template <class T>
RONDO_KERNEL_INLINE T default_nan() {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(std::uint64_t{0x7ff8000000000000});
  else
    return std::bit_cast<T>(std::uint32_t{0x7fc00000});
}

/// Values that bring their own: several elements that are compared at once.
template <class T>
concept HasOwnMinimum = requires(T value) {
  T::minimum(value, value);
  T::maximum(value, value);
};

/// IEEE 754-2019 `minimum`: -0 is less than +0, and a NaN wins.
struct Minimum {
  template <HasOwnMinimum T>
  RONDO_KERNEL_INLINE T operator()(T a, T b) const {
    return T::minimum(a, b);
  }
  template <class T>
  RONDO_KERNEL_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (is_nan(a) || is_nan(b)) return default_nan<T>();
      // Equal numbers have equal bits, but for zeros: there the sign of either is the result's.
      if (a == b)
        return std::bit_cast<T>(std::bit_cast<BitsOf<T>>(a) | std::bit_cast<BitsOf<T>>(b));
    }
    return a < b ? a : b;
  }
};

/// IEEE 754-2019 `maximum`, the mirror image.
struct Maximum {
  template <HasOwnMinimum T>
  RONDO_KERNEL_INLINE T operator()(T a, T b) const {
    return T::maximum(a, b);
  }
  template <class T>
  RONDO_KERNEL_INLINE T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (is_nan(a) || is_nan(b)) return default_nan<T>();
      if (a == b)
        return std::bit_cast<T>(std::bit_cast<BitsOf<T>>(a) & std::bit_cast<BitsOf<T>>(b));
    }
    return a < b ? b : a;
  }
};

struct BitAnd {
  template <class T>
  RONDO_KERNEL_INLINE T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};

struct BitOr {
  template <class T>
  RONDO_KERNEL_INLINE T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};

struct BitXor {
  template <class T>
  RONDO_KERNEL_INLINE T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

}  // namespace rondo::primitives
