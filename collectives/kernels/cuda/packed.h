#pragma once

// Elements smaller than a word, a word of them at a time: how the reduce kernel moves and combines
// the tiles of types that have such a form. A thread then holds words instead of bytes, of which
// each would take a register of its own, and most ops take one instruction, or a few, for all.

#include <cstdint>
#include <type_traits>

#include "core/device/primitives/block.h"

namespace rondo::kernels::cuda {

/// Four numbers of type T, one byte each; the first is in the lowest.
template <class T>
struct PackedBytes {
  std::uint32_t bits;

  /// `combine` is given two of T's values, and what it returns is cut to a byte.
  template <class Combine>
  RONDO_KERNEL_INLINE static std::uint32_t each(std::uint32_t a, std::uint32_t b,
                                                const Combine& combine) {
    std::uint32_t all = 0;
    RONDO_UNROLL
    for (unsigned int shift = 0; shift < 32; shift += 8) {
      const auto one = static_cast<std::uint8_t>(combine(number(a >> shift), number(b >> shift)));
      all |= std::uint32_t{one} << shift;
    }
    return all;
  }
  template <class Change>
  RONDO_KERNEL_INLINE PackedBytes each(const Change& change) const {
    return {each(bits, 0U, [&change](T own, T) { return change(own); })};
  }

  /// Carries stay in their bytes: the highest bits are added apart.
  RONDO_KERNEL_INLINE friend PackedBytes operator+(PackedBytes a, PackedBytes b) {
    constexpr std::uint32_t kHighest = 0x80808080U;
    return {((a.bits & ~kHighest) + (b.bits & ~kHighest)) ^ ((a.bits ^ b.bits) & kHighest)};
  }
  RONDO_KERNEL_INLINE friend PackedBytes operator*(PackedBytes a, PackedBytes b) {
    return {each(a.bits, b.bits, [](T x, T y) { return x * y; })};
  }
  RONDO_KERNEL_INLINE friend PackedBytes operator&(PackedBytes a, PackedBytes b) {
    return {a.bits & b.bits};
  }
  RONDO_KERNEL_INLINE friend PackedBytes operator|(PackedBytes a, PackedBytes b) {
    return {a.bits | b.bits};
  }
  RONDO_KERNEL_INLINE friend PackedBytes operator^(PackedBytes a, PackedBytes b) {
    return {a.bits ^ b.bits};
  }
  /// For primitives::Minimum and Maximum.
  RONDO_KERNEL_INLINE static PackedBytes minimum(PackedBytes a, PackedBytes b) {
#ifdef __CUDACC__
    return {std::is_signed_v<T> ? __vmins4(a.bits, b.bits) : __vminu4(a.bits, b.bits)};
#else
    return {each(a.bits, b.bits, [](T x, T y) { return x < y ? x : y; })};
#endif
  }
  RONDO_KERNEL_INLINE static PackedBytes maximum(PackedBytes a, PackedBytes b) {
#ifdef __CUDACC__
    return {std::is_signed_v<T> ? __vmaxs4(a.bits, b.bits) : __vmaxu4(a.bits, b.bits)};
#else
    return {each(a.bits, b.bits, [](T x, T y) { return x < y ? y : x; })};
#endif
  }

 private:
  RONDO_KERNEL_INLINE static T number(std::uint32_t lowest) {
    return static_cast<T>(static_cast<std::uint8_t>(lowest));
  }
};

/// An Element (reduce_kernel.h) that is combined as it lies in memory.
template <class Word, class Held>
struct PackedElement {
  using Stored = Word;
  using Value = Held;
  RONDO_KERNEL_INLINE static Held widen(Word word) { return {word}; }
  RONDO_KERNEL_INLINE static Word narrow(Held held) { return held.bits; }
};

}  // namespace rondo::kernels::cuda
