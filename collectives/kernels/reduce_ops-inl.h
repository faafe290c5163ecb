// The arithmetic of the reduce kernels, one struct per op, compiled once per instruction set.
//
// Every op has two faces, `vector` and `scalar`, that give equal bits, so a tail of a few elements
// equals the same elements inside a vector. Integers come in as unsigned types wherever the sign
// doesn't matter, because unsigned arithmetic is the one that wraps by definition.
// `load` and `store` stand between memory and the values that are combined: an op may widen its
// elements in registers (half_formats-inl.h).
// No guard by #pragma once: foreach_target.h includes this file once per target.

#if defined(RONDO_REDUCE_OPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RONDO_REDUCE_OPS_INL_H
#undef RONDO_REDUCE_OPS_INL_H
#else
#define RONDO_REDUCE_OPS_INL_H
#endif

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// What an op does unless it says otherwise.
struct OpDefaults {
  /// Whether Highway has the op for this element; where not, the loop runs on `scalar` alone.
  template <class T>
  static constexpr bool kHasVector = true;
  template <class D, class T>
  static HWY_INLINE hn::Vec<D> load(D d, const T* source) {
    return hn::LoadU(d, source);
  }
  template <class D, class V, class T>
  static HWY_INLINE void store(D d, V value, T* target) {
    hn::StoreU(value, d, target);
  }
  template <class T>
  static HWY_INLINE T load_scalar(T element) {
    return element;
  }
  template <class T>
  static HWY_INLINE T store_scalar(T value) {
    return value;
  }
  template <class D, class V>
  static HWY_INLINE V finish_vector(D, V value, int) {
    return value;
  }
  template <class T>
  static HWY_INLINE T finish_scalar(T value, int) {
    return value;
  }
  template <class D, class V>
  static HWY_INLINE V settle_vector(D, V value) {
    return value;
  }
  template <class T>
  static HWY_INLINE T settle_scalar(T value) {
    return value;
  }
};

/// Once all sources are combined: which NaN an addition or a multiplication gives depends on the
/// processor and on which operand comes first, so that ranks which add in turn would end with
/// different bits. This is one fixed NaN for all.
struct OneNan : OpDefaults {
  template <class D, class V>
  static HWY_INLINE V settle_vector(D d, V value) {
    using T = hn::TFromD<D>;
    if constexpr (std::is_floating_point_v<T>) {
      const auto nan = hn::Set(d, std::numeric_limits<T>::quiet_NaN());
      return hn::IfThenElse(hn::IsNaN(value), nan, value);
    } else {
      return value;
    }
  }
  template <class T>
  static HWY_INLINE T settle_scalar(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) return std::numeric_limits<T>::quiet_NaN();
    }
    return value;
  }
};

struct Sum : OneNan {
  template <class D, class V>
  static HWY_INLINE V vector(D, V a, V b) {
    return hn::Add(a, b);
  }
  template <class T>
  static HWY_INLINE T scalar(T a, T b) {
    return static_cast<T>(a + b);
  }
};

struct Product : OneNan {
  template <class T>
  static constexpr bool kHasVector = sizeof(T) > 1;
  template <class D, class V>
  static HWY_INLINE V vector(D, V a, V b) {
    return hn::Mul(a, b);
  }
  template <class T>
  static HWY_INLINE T scalar(T a, T b) {
    return static_cast<T>(a * b);
  }
};

/// The vector with one fixed NaN in every lane where `a` or `b` is a NaN.
template <class D, class V>
HWY_INLINE V nan_where_unordered(D d, V a, V b, V value) {
  const auto nan = hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN());
  return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), nan, value);
}

/// IEEE 754-2019 `minimum`: -0 is less than +0, and a NaN wins. Targets differ in which operand
/// their own Min returns for equal or unordered ones; both orders together cover all of them.
struct Minimum : OpDefaults {
  template <class D, class V>
  static HWY_INLINE V vector(D d, V a, V b) {
    if constexpr (std::is_floating_point_v<hn::TFromD<D>>) {
      return nan_where_unordered(d, a, b, hn::Or(hn::Min(a, b), hn::Min(b, a)));
    } else {
      return hn::Min(a, b);
    }
  }
  template <class T>
  static HWY_INLINE T scalar(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
      if (a == b) return std::signbit(a) ? a : b;
    }
    return a < b ? a : b;
  }
};

/// IEEE 754-2019 `maximum`, the mirror image.
struct Maximum : OpDefaults {
  template <class D, class V>
  static HWY_INLINE V vector(D d, V a, V b) {
    if constexpr (std::is_floating_point_v<hn::TFromD<D>>) {
      return nan_where_unordered(d, a, b, hn::And(hn::Max(a, b), hn::Max(b, a)));
    } else {
      return hn::Max(a, b);
    }
  }
  template <class T>
  static HWY_INLINE T scalar(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
      if (a == b) return std::signbit(a) ? b : a;
    }
    return a < b ? b : a;
  }
};

struct BitAnd : OpDefaults {
  template <class D, class V>
  static HWY_INLINE V vector(D, V a, V b) {
    return hn::And(a, b);
  }
  template <class T>
  static HWY_INLINE T scalar(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct BitOr : OpDefaults {
  template <class D, class V>
  static HWY_INLINE V vector(D, V a, V b) {
    return hn::Or(a, b);
  }
  template <class T>
  static HWY_INLINE T scalar(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct BitXor : OpDefaults {
  template <class D, class V>
  static HWY_INLINE V vector(D, V a, V b) {
    return hn::Xor(a, b);
  }
  template <class T>
  static HWY_INLINE T scalar(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

/// Sum, divided once at the end. `Element` is the type before integers became unsigned: division
/// is where the sign matters. No target divides integer vectors, so those go lane by lane.
template <class Element>
struct Average : Sum {
  template <class T>
  static HWY_INLINE T finish_scalar(T value, int divisor) {
    if constexpr (std::is_floating_point_v<T>) {
      return value / static_cast<T>(divisor);
    } else {
      using Wide = std::conditional_t<std::is_signed_v<Element>, std::int64_t, std::uint64_t>;
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): the sign is to be kept
      const Wide wide = static_cast<Element>(value);
      return static_cast<T>(wide / static_cast<Wide>(divisor));
    }
  }
  template <class D, class V>
  static HWY_INLINE V finish_vector(D d, V value, int divisor) {
    using T = hn::TFromD<D>;
    if constexpr (std::is_floating_point_v<T>) {
      return hn::Div(value, hn::Set(d, static_cast<T>(divisor)));
    } else {
      HWY_ALIGN T lanes[HWY_MAX_BYTES / sizeof(T)];
      hn::Store(value, d, lanes);
      for (std::size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = finish_scalar(lanes[i], divisor);
      return hn::Load(d, lanes);
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#endif  // RONDO_REDUCE_OPS_INL_H
