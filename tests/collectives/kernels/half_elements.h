#pragma once

// The 16-bit floats as C++ types of their own, for tests that are templates over elements: made
// from and turned into floats by core/dtype.h, which half_formats_test compares with the
// definition.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/dtype.h"
#include "rondo/types.h"

namespace rondo::kernels {

template <DataType kType>
struct HalfElement {
  HalfElement() = default;
  explicit HalfElement(double value) : HalfElement(static_cast<float>(value)) {}
  explicit HalfElement(int value) : HalfElement(static_cast<float>(value)) {}
  explicit HalfElement(float value)
      : bits(kType == DataType::kF16 ? f16_from_f32(value) : bf16_from_f32(value)) {}
  explicit operator float() const {
    return kType == DataType::kF16 ? f32_from_f16(bits) : f32_from_bf16(bits);
  }
  static HalfElement of_bits(std::uint16_t bits) {
    HalfElement element;
    element.bits = bits;
    return element;
  }
  bool operator==(const HalfElement&) const = default;  ///< of bits
  float operator+() const { return static_cast<float>(*this); }

  std::uint16_t bits = 0;
};

using Half = HalfElement<DataType::kF16>;
using Bfloat = HalfElement<DataType::kBF16>;

template <class T>
inline constexpr bool kIsHalf = false;
template <DataType kType>
inline constexpr bool kIsHalf<HalfElement<kType>> = true;

template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsHalf<T>;

template <class T>
constexpr DataType type_of() {
  if constexpr (std::is_same_v<T, Half>) {
    return DataType::kF16;
  } else if constexpr (std::is_same_v<T, Bfloat>) {
    return DataType::kBF16;
  } else {
    return data_type_of<T>();
  }
}

}  // namespace rondo::kernels

template <rondo::DataType kType>
struct std::numeric_limits<rondo::kernels::HalfElement<kType>> {
  using Element = rondo::kernels::HalfElement<kType>;
  static constexpr bool kIsF16 = kType == rondo::DataType::kF16;
  static Element denorm_min() { return Element::of_bits(1); }
  static Element min() { return Element::of_bits(kIsF16 ? 0x0400 : 0x0080); }
  static Element max() { return Element::of_bits(kIsF16 ? 0x7bff : 0x7f7f); }
  static Element lowest() { return Element::of_bits(kIsF16 ? 0xfbff : 0xff7f); }
  static Element epsilon() { return Element(kIsF16 ? 0x1p-10F : 0x1p-7F); }
  static Element infinity() { return Element::of_bits(kIsF16 ? 0x7c00 : 0x7f80); }
  // NOLINTNEXTLINE(readability-identifier-naming): the name of the standard
  static Element quiet_NaN() { return Element::of_bits(kIsF16 ? 0x7e00 : 0x7fc0); }
};
