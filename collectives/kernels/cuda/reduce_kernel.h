#pragma once

// The reduce kernel of CUDA devices, on the block-level primitives: one template for every element
// type and op, the same source for devices and for the host's tests.
//
// A thread keeps what it combines in registers while the sources go by, so memory is read once per
// source and written once per target; all sources of an element are read before any target is
// written, by the same thread, so a target may be a source. Several accesses of 16 bytes are under
// way per source. Where the pointers don't lie alike, elements are moved one by one.
// The contract and the bits are those of kernels/reduce.h.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "collectives/kernels/cuda/packed.h"
#include "collectives/kernels/cuda/reduce_parameters.h"
#include "core/device/primitives/block.h"
#include "core/device/primitives/compute.h"
#include "core/device/primitives/data_mover.h"
#include "core/device/primitives/functors.h"

namespace rondo::kernels::cuda {

/// How elements lie in memory, and as what they are combined.
template <class T>
struct Plain {
  using Stored = T;
  using Value = T;
  RONDO_KERNEL_INLINE static T widen(T element) { return element; }
  RONDO_KERNEL_INLINE static T narrow(T value) { return value; }
};

/// As what whole tiles of an Element are moved and combined, if not one by one.
template <class Single>
struct Tiled {
  using Element = Single;
};
template <class T>
requires(sizeof(T) == 1) struct Tiled<Plain<T>> {
  using Element = PackedElement<std::uint32_t, PackedBytes<T>>;
};

/// What is left to do with the combined value: nothing but for an average.
struct NoFinish {
  template <class Element>
  RONDO_KERNEL_INLINE static typename Element::Value finish(typename Element::Value value, int) {
    return value;
  }
};

/// `Number` is the element's own type, with the sign that it has; integers are divided towards
/// zero, as a type that holds the divisor too.
template <class Number>
struct DivideFinish {
  using Narrow = std::conditional_t<std::is_signed_v<Number>, std::int32_t, std::uint32_t>;
  using Wide = std::conditional_t<(sizeof(Number) < 4), Narrow, Number>;

  template <class Element>
  RONDO_KERNEL_INLINE static typename Element::Value finish(typename Element::Value value,
                                                            int divisor) {
    const auto divided = [divisor](auto one) {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): the sign is to be kept
      return divide(static_cast<Wide>(static_cast<Number>(one)), divisor);
    };
    if constexpr (requires { value.each(divided); })
      return value.each(divided);
    else
      return static_cast<typename Element::Value>(divided(value));
  }

 private:
  RONDO_KERNEL_INLINE static Wide divide(Wide number, int divisor) {
    if constexpr (std::is_same_v<Number, float>)
      return divide_float(number, static_cast<float>(divisor));
    else if constexpr (sizeof(Number) == 1)
      return divide_byte(number, divisor);
    else
      return number / static_cast<Wide>(divisor);
  }

  /// A device's division is a dozen instructions; this is three, rounded alike: the remainder is
  /// exact, and the reciprocal rounded to nearest (a divisor is an integer below 2^24).
  /// Source: Markstein, "Computation of elementary functions on the IBM RISC System/6000", 1990.
  RONDO_KERNEL_INLINE static float divide_float(float number, float divisor) {
    constexpr float kLeast = 0x1p-100F;  // below, the remainder may lose bits
    constexpr float kMost = 0x1p127F;
    const float size = fabsf(number);
    if (number == 0) return number;
    if (!(size >= kLeast && size <= kMost)) return number / divisor;
    const float reciprocal = 1.0F / divisor;
    const float quotient = number * reciprocal;
    return fmaf(fmaf(-divisor, quotient, number), reciprocal, quotient);
  }

  /// By one multiplication: the factor is more than 2^16 / divisor, by at most 1, and a byte times
  /// that by less than what is left to the next multiple. A negative number's product is rounded
  /// up, by the bits of its sign.
  RONDO_KERNEL_INLINE static Wide divide_byte(Wide number, int divisor) {
    const auto factor = static_cast<Wide>(0x10000U / static_cast<std::uint32_t>(divisor) + 1);
    const auto up = std::is_signed_v<Number> ? static_cast<std::uint32_t>(number) >> 16 : 0U;
    return static_cast<Wide>(number * factor + static_cast<Wide>(up)) >> 16;
  }
};

template <class Element>
using Stored = typename Element::Stored;
template <class Element>
using Value = typename Element::Value;

template <class Element>
RONDO_KERNEL_INLINE const Stored<Element>* source(const ReduceParameters& p, unsigned int i) {
  return static_cast<const Stored<Element>*>(p.pointers[i]);
}

template <class Element>
RONDO_KERNEL_INLINE Stored<Element>* target(const ReduceParameters& p, unsigned int i) {
  return static_cast<Stored<Element>*>(p.pointers[p.sources + i]);
}

/// Elements before the first that begins an access of 16 bytes; all of them where the pointers
/// don't lie alike.
template <class Element>
RONDO_KERNEL_INLINE std::uint64_t unaligned_elements(const ReduceParameters& p) {
  constexpr std::uint64_t kMask = primitives::kAccessBytes - 1;
  const auto first = reinterpret_cast<std::uint64_t>(p.pointers[0]) & kMask;
  for (unsigned int i = 1; i < p.sources + p.targets; ++i) {
    if ((reinterpret_cast<std::uint64_t>(p.pointers[i]) & kMask) != first) return p.count;
  }
  const std::uint64_t before = ((kMask + 1 - first) & kMask) / sizeof(Stored<Element>);
  return before < p.count ? before : p.count;
}

/// Elements [begin, end), spread over all threads of the grid.
template <class Element, class Op, class Finish, class Block>
RONDO_KERNEL_INLINE void reduce_singly(const Block& block, const ReduceParameters& p,
                                       std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t stride = std::uint64_t{block.blocks()} * block.threads();
  const std::uint64_t own = std::uint64_t{block.block()} * block.threads() + block.thread();
  for (std::uint64_t i = begin + own; i < end; i += stride) {
    Value<Element> value = Element::widen(source<Element>(p, 0)[i]);
    for (unsigned int s = 1; s < p.sources; ++s)
      value = Op()(value, Value<Element>(Element::widen(source<Element>(p, s)[i])));
    value = Finish::template finish<Element>(value, p.divisor);
    const Stored<Element> result = Element::narrow(value);
    for (unsigned int t = 0; t < p.targets; ++t) target<Element>(p, t)[i] = result;
  }
}

/// Accesses of 16 bytes that a thread has under way for each source.
inline constexpr int kAccesses = 4;

/// What one block combines at a time.
template <class Element>
RONDO_KERNEL_INLINE std::uint64_t tile_elements(unsigned int threads) {
  return std::uint64_t{threads} * kAccesses * primitives::kAccessLanes<Stored<Element>>;
}

/// What a thread holds of a tile: kAccesses times what one access moves.
template <class Element>
struct Share {
  static constexpr int kCount = kAccesses;
  static constexpr int kLanes = primitives::kAccessLanes<Stored<Element>>;

  /// All of them are asked for before the first is looked at.
  template <class Block>
  RONDO_KERNEL_INLINE Share(const Block& block, const Stored<Element>* from) {
    Stored<Element> elements[kCount][kLanes];
    RONDO_UNROLL
    for (int i = 0; i < kCount; ++i) {
      primitives::read_data<kLanes, false>(block, elements[i],
                                           from + static_cast<unsigned int>(i) * stride(block));
    }
    RONDO_UNROLL
    for (int i = 0; i < kCount; ++i) {
      primitives::elementwise_unary<kLanes>(
          values[i], elements[i], [](Stored<Element> element) { return Element::widen(element); });
    }
  }
  template <class Block>
  RONDO_KERNEL_INLINE void write(const Block& block, Stored<Element>* to) const {
    RONDO_UNROLL
    for (int i = 0; i < kCount; ++i) {
      Stored<Element> elements[kLanes];
      primitives::elementwise_unary<kLanes>(
          elements, values[i], [](Value<Element> value) { return Element::narrow(value); });
      primitives::write_data<kLanes, false>(
          block, to + static_cast<unsigned int>(i) * stride(block), elements);
    }
  }
  template <class Op>
  RONDO_KERNEL_INLINE void combine(const Share& next, Op op) {
    RONDO_UNROLL
    for (int i = 0; i < kCount; ++i)
      primitives::elementwise_binary<kLanes>(values[i], values[i], next.values[i], op);
  }
  template <class Op>
  RONDO_KERNEL_INLINE void apply(Op op) {
    RONDO_UNROLL
    for (auto& access : values) primitives::elementwise_unary<kLanes>(access, access, op);
  }
  template <class Block>
  RONDO_KERNEL_INLINE static std::uint64_t stride(const Block& block) {
    return std::uint64_t{block.threads()} * kLanes;
  }

  Value<Element> values[kCount][kLanes];
};

/// One tile, which begins at element `start`; every pointer is aligned there.
template <class Element, class Op, class Finish, class Block>
RONDO_KERNEL_INLINE void reduce_tile(const Block& block, const ReduceParameters& p,
                                     std::uint64_t start) {
  using Tile = typename Tiled<Element>::Element;
  const auto from = [&](unsigned int s) {
    return reinterpret_cast<const Stored<Tile>*>(source<Element>(p, s) + start);
  };
  Share<Tile> share(block, from(0));
  for (unsigned int s = 1; s < p.sources; ++s) share.combine(Share<Tile>(block, from(s)), Op());
  share.apply([&p](Value<Tile> value) { return Finish::template finish<Tile>(value, p.divisor); });
  for (unsigned int t = 0; t < p.targets; ++t)
    share.write(block, reinterpret_cast<Stored<Tile>*>(target<Element>(p, t) + start));
}

/// The block's tile behind `tile`, of so many: blocks take turns, unless this Block knows better.
template <class Block>
RONDO_KERNEL_INLINE std::uint64_t next_tile(const Block& block, std::uint64_t tile,
                                            std::uint64_t tiles) {
  if constexpr (requires { block.next_tile(tile, tiles); })
    return block.next_tile(tile, tiles);
  else
    return tile + block.blocks();
}

template <class Element, class Op, class Finish, class Block>
RONDO_KERNEL_INLINE void reduce_kernel(const Block& block, const ReduceParameters& p) {
  const std::uint64_t head = unaligned_elements<Element>(p);
  const std::uint64_t tile = tile_elements<Element>(block.threads());
  const std::uint64_t tiles = (p.count - head) / tile;
  for (std::uint64_t i = block.block(); i < tiles; i = next_tile(block, i, tiles))
    reduce_tile<Element, Op, Finish>(block, p, head + i * tile);
  reduce_singly<Element, Op, Finish>(block, p, 0, head);
  reduce_singly<Element, Op, Finish>(block, p, head + tiles * tile, p.count);
}

}  // namespace rondo::kernels::cuda
