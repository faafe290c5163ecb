// The 16-bit floats inside the reduce kernels: widened to f32 as they are loaded, combined as f32,
// rounded once (to nearest, ties to even) where they are stored. Compiled once per instruction set.
//
// A vector of 16-bit elements becomes a Pair of vectors of floats; which element goes to which
// lane is the format's own business. Every conversion has the bits of core/dtype.h for every input,
// whatever the processor's settings for denormals (half_formats_test goes through all of them).
// Highway's own conversions are used only where they have these bits, which is on x86 with F16C:
// its bf16 truncates, and its f16 without F16C truncates and knows no infinity. Where there is no
// vector form, elements are converted one by one. No guard by #pragma once: foreach_target.h
// includes this file once per target.

#if defined(RONDO_HALF_FORMATS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RONDO_HALF_FORMATS_INL_H
#undef RONDO_HALF_FORMATS_INL_H
#else
#define RONDO_HALF_FORMATS_INL_H
#endif

#include <cstdint>
#include <type_traits>

#include "collectives/kernels/reduce_ops-inl.h"
#include "core/dtype.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using FloatsOf = hn::Repartition<float, D>;

/// The elements of one vector of 16-bit floats, as f32.
template <class D>
struct Pair {
  hn::Vec<FloatsOf<D>> first;
  hn::Vec<FloatsOf<D>> second;
};

/// The upper half of an f32. Even elements go to `first`, odd ones to `second`: nothing has to move
/// to another lane.
struct Bf16 {
  /// Highway's target of single lanes has no vector of two elements.
  static constexpr bool kHasVector = HWY_TARGET != HWY_SCALAR;
  template <class D>
  static HWY_INLINE Pair<D> load(D d, const std::uint16_t* source) {
    const FloatsOf<D> floats;
    const hn::RebindToUnsigned<FloatsOf<D>> wide;
    const auto both = hn::BitCast(wide, hn::LoadU(d, source));
    const auto odd = hn::And(both, hn::Set(wide, 0xffff0000U));
    return {hn::BitCast(floats, hn::ShiftLeft<16>(both)), hn::BitCast(floats, odd)};
  }
  template <class D>
  static HWY_INLINE void store(D d, Pair<D> value, std::uint16_t* target) {
    store_as<false>(d, value, target);
  }
  /// The same with one NaN for all.
  template <class D>
  static HWY_INLINE void store_with_one_nan(D d, Pair<D> value, std::uint16_t* target) {
    store_as<true>(d, value, target);
  }
  static HWY_INLINE float widen(std::uint16_t element) { return f32_from_bf16(element); }
  static HWY_INLINE std::uint16_t narrow(float value) { return bf16_from_f32(value); }

 private:
  template <bool kOneNan, class D>
  static HWY_INLINE void store_as(D d, Pair<D> value, std::uint16_t* target) {
    const auto even = hn::ShiftRight<16>(rounded<kOneNan>(FloatsOf<D>(), value.first));
    const auto odd = rounded<kOneNan>(FloatsOf<D>(), value.second);
    hn::StoreU(hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, even)), d, target);
  }
  /// The result is in the upper half of each lane; what is below is rubbish. As in bf16_from_f32.
  template <bool kOneNan, class DF, class V>
  static HWY_INLINE auto rounded(DF floats, V value) {
    const hn::RebindToUnsigned<DF> wide;
    const auto bits = hn::BitCast(wide, value);
    const auto last_kept = hn::And(hn::ShiftRight<16>(bits), hn::Set(wide, 1));
    const auto rounding = hn::Add(last_kept, hn::Set(wide, 0x7fff));
    const auto quiet = kOneNan ? hn::Set(wide, 0x7fc00000) : hn::Or(bits, hn::Set(wide, 0x400000));
    const auto nan = hn::IsNaN(hn::BitCast(floats, bits));
    return hn::IfThenElse(hn::RebindMask(wide, nan), quiet, hn::Add(bits, rounding));
  }
};

/// IEEE 754 binary16. The lower half of the elements goes to `first`.
struct F16 {
  /// TODO(perf): processors of other makes have conversions, too; half_formats_test would tell
  /// whether Highway's have the right bits there.
  static constexpr bool kHasVector = HWY_ARCH_X86 != 0 && HWY_TARGET <= HWY_AVX2;
  template <class D>
  static HWY_INLINE Pair<D> load(D, const std::uint16_t* source) {
    const hn::Half<D> half;
    const FloatsOf<D> floats;
    const hn::Rebind<hwy::float16_t, FloatsOf<D>> halves;
    const auto lower = hn::BitCast(halves, hn::LoadU(half, source));
    const auto upper = hn::BitCast(halves, hn::LoadU(half, source + hn::Lanes(half)));
    return {hn::PromoteTo(floats, lower), hn::PromoteTo(floats, upper)};
  }
  template <class D>
  static HWY_INLINE void store(D, Pair<D> value, std::uint16_t* target) {
    const hn::Half<D> half;
    const hn::Rebind<hwy::float16_t, FloatsOf<D>> halves;
    const auto lower = hn::BitCast(half, hn::DemoteTo(halves, value.first));
    const auto upper = hn::BitCast(half, hn::DemoteTo(halves, value.second));
    hn::StoreU(lower, half, target);
    hn::StoreU(upper, half, target + hn::Lanes(half));
  }
  /// The same with one NaN for all.
  template <class D>
  static HWY_INLINE void store_with_one_nan(D d, Pair<D> value, std::uint16_t* target) {
    const FloatsOf<D> floats;
    store(d,
          Pair<D>{OneNan::settle_vector(floats, value.first),
                  OneNan::settle_vector(floats, value.second)},
          target);
  }
  static HWY_INLINE float widen(std::uint16_t element) { return f32_from_f16(element); }
  static HWY_INLINE std::uint16_t narrow(float value) { return f16_from_f32(value); }
};

/// `Op` of f32 on elements of `Format`, which is in memory as std::uint16_t.
template <class Op, class Format>
struct Widened : OpDefaults {
  template <class T>
  static constexpr bool kHasVector = Format::kHasVector;
  template <class D>
  static HWY_INLINE Pair<D> load(D d, const std::uint16_t* source) {
    return Format::load(d, source);
  }
  template <class D>
  static HWY_INLINE void store(D d, Pair<D> value, std::uint16_t* target) {
    Format::store_with_one_nan(d, value, target);
  }
  template <class D>
  static HWY_INLINE Pair<D> vector(D, Pair<D> a, Pair<D> b) {
    const FloatsOf<D> floats;
    return {Op::vector(floats, a.first, b.first), Op::vector(floats, a.second, b.second)};
  }
  template <class D>
  static HWY_INLINE Pair<D> finish_vector(D, Pair<D> value, int divisor) {
    const FloatsOf<D> floats;
    return {Op::finish_vector(floats, value.first, divisor),
            Op::finish_vector(floats, value.second, divisor)};
  }
  static HWY_INLINE float load_scalar(std::uint16_t element) { return Format::widen(element); }
  static HWY_INLINE std::uint16_t store_scalar(float value) { return Format::narrow(value); }
  static HWY_INLINE float scalar(float a, float b) { return Op::scalar(a, b); }
  static HWY_INLINE float finish_scalar(float value, int divisor) {
    return Op::finish_scalar(value, divisor);
  }
  static HWY_INLINE float settle_scalar(float value) { return OneNan::settle_scalar(value); }
};

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#endif  // RONDO_HALF_FORMATS_INL_H
