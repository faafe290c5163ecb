// The 8-bit codes of the block formats: floats that have been scaled into a code's range, to and
// from codes in lanes of 32 bits. Compiled once per instruction set.
//
// Rounding is that of one f32 addition, which is to nearest even: adding a power of two whose last
// place is one code leaves the code in the low bits. No product is inexact, so it doesn't matter
// whether the compiler joins products and sums.
// No guard by #pragma once: foreach_target.h includes this file once per target.

#if defined(RONDO_WIRE_CODES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RONDO_WIRE_CODES_INL_H
#undef RONDO_WIRE_CODES_INL_H
#else
#define RONDO_WIRE_CODES_INL_H
#endif

#include <bit>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using Ints = hn::RebindToSigned<D>;

constexpr float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

/// Two's complement, -127 to 127.
struct Int8Code {
  /// What the lanes of `encode` are demoted to.
  using Byte = std::int8_t;
  static constexpr float kLargest = 127;
  /// The exponent of the largest code's power of two, and its mantissa as an f32's.
  static constexpr int kTopExponent = 6;
  static constexpr std::uint32_t kTopMantissa = 0x7e0000;
  /// Scales from here on take f32 denormals to zero, and no code to a denormal.
  static constexpr int kLeastScale = 3;

  template <class D, class V>
  static HWY_INLINE auto encode(D d, V value) {
    const Ints<D> ints;
    const auto offset = hn::Set(d, 3 * power_of_two(22));
    return hn::Sub(hn::BitCast(ints, hn::Add(value, offset)), hn::BitCast(ints, offset));
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> decode(D d, const std::uint8_t* codes) {
    const hn::Rebind<std::int8_t, D> bytes;
    // NOLINTNEXTLINE: signed and unsigned bytes may name each other's memory
    const auto* source = reinterpret_cast<const std::int8_t*>(codes);
    return hn::ConvertTo(d, hn::PromoteTo(Ints<D>(), hn::LoadU(bytes, source)));
  }
};

/// Sign, exponent, mantissa; denormals as in IEEE 754. `kTop` is the largest exponent in use.
template <int kMantissaBits, int kBias, int kTop, int kScale>
struct Float8Code {
  using Byte = std::uint8_t;
  static constexpr int kTopExponent = kTop;
  static constexpr std::uint32_t kTopMantissa = 0x600000;  // 1.75
  static constexpr float kLargest = 1.75F * power_of_two(kTop);
  static constexpr int kLeastScale = kScale;
  static constexpr int kDropped = 23 - kMantissaBits;
  static constexpr float kLeastNormal = power_of_two(1 - kBias);
  static constexpr float kStep = power_of_two(1 - kBias - kMantissaBits);

  template <class D, class V>
  static HWY_INLINE auto encode(D d, V value) {
    const Ints<D> ints;
    const auto bits = hn::BitCast(ints, hn::Abs(value));
    const auto last_kept = hn::And(hn::ShiftRight<kDropped>(bits), hn::Set(ints, 1));
    const auto half = hn::Set(ints, (1 << (kDropped - 1)) - 1);
    const auto rounded = hn::ShiftRight<kDropped>(hn::Add(hn::Add(bits, last_kept), half));
    const auto normal = hn::Sub(rounded, hn::Set(ints, (127 - kBias) << kMantissaBits));
    // The last place of this power of two is one step of the denormals.
    const auto offset = hn::Set(d, kStep * power_of_two(23));
    const auto small =
        hn::Sub(hn::BitCast(ints, hn::Add(hn::Abs(value), offset)), hn::BitCast(ints, offset));
    const auto is_small = hn::Lt(bits, hn::BitCast(ints, hn::Set(d, kLeastNormal)));
    const auto sign = hn::And(hn::ShiftRight<24>(hn::BitCast(ints, value)), hn::Set(ints, 0x80));
    return hn::Or(hn::IfThenElse(is_small, small, normal), sign);
  }
  template <class D>
  static HWY_INLINE hn::Vec<D> decode(D d, const std::uint8_t* codes) {
    const Ints<D> ints;
    const auto code = hn::PromoteTo(ints, hn::LoadU(hn::Rebind<std::uint8_t, D>(), codes));
    const auto magnitude = hn::And(code, hn::Set(ints, 0x7f));
    const auto bits =
        hn::Add(hn::ShiftLeft<kDropped>(magnitude), hn::Set(ints, (127 - kBias) << 23));
    const auto small = hn::Mul(hn::ConvertTo(d, magnitude), hn::Set(d, kStep));
    const auto is_small = hn::Lt(magnitude, hn::Set(ints, 1 << kMantissaBits));
    const auto value = hn::IfThenElse(hn::RebindMask(d, is_small), small, hn::BitCast(d, bits));
    const auto sign = hn::ShiftLeft<24>(hn::And(code, hn::Set(ints, 0x80)));
    return hn::Or(value, hn::BitCast(d, sign));
  }
};
using E4M3Code = Float8Code<3, 7, 8, 12>;
using E5M2Code = Float8Code<2, 15, 15, 19>;

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#endif  // RONDO_WIRE_CODES_INL_H
