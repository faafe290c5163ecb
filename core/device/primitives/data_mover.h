#pragma once

// Between memory and the registers of a block's threads.
//
// The threads of a block hold a tile of NX * threads() elements; thread t has elements
// [t * NX, t * NX + NX) of it, so that each moves neighbours by accesses of up to 16 bytes.
// `kBoundary`: the tile may go past the end; then only its first `count` elements are moved, one by
// one, and the other registers stay as they are. Without, memory is aligned to min(16, NX * size)
// bytes. Types of registers and memory may differ: elements are converted.

#include <type_traits>

#include "core/device/primitives/block.h"

namespace rondo::primitives {

/// N elements that move at once.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T lanes[N];
};

/// Stores a pack by one access. By itself nvcc makes one of a struct that is loaded, but stores its
/// members one by one: half floats at a third of the speed. In a device's memory, not a block's.
template <class P>
RONDO_KERNEL_INLINE void store_pack(P* to, const P& pack) {
#ifdef __CUDACC__
  using Words = std::conditional_t<sizeof(P) == sizeof(uint4), uint4, uint2>;
  if constexpr (sizeof(P) == sizeof(Words)) {
    Words words;
    memcpy(&words, &pack, sizeof(words));
    __stwb(reinterpret_cast<Words*>(to), words);
  } else {
    *to = pack;
  }
#else
  *to = pack;
#endif
}

/// How many of NX neighbours one access moves: the largest power of two that fits.
template <class T, int NX>
constexpr int access_lanes() {
  int lanes = kAccessLanes<T> > 0 ? kAccessLanes<T> : 1;
  while (NX % lanes != 0) lanes /= 2;
  return lanes;
}

template <int NX, class To>
RONDO_KERNEL_INLINE void init(To* registers, To value) {
  RONDO_UNROLL
  for (int x = 0; x < NX; ++x) registers[x] = value;
}

template <int NX, bool kBoundary, class Block, class To, class From>
RONDO_KERNEL_INLINE void read_data(const Block& block, To* registers, const From* source,
                                   int count = 0) {
  const int first = static_cast<int>(block.thread()) * NX;
  if constexpr (kBoundary) {
    RONDO_UNROLL
    for (int x = 0; x < NX; ++x) {
      if (first + x < count) registers[x] = static_cast<To>(source[first + x]);
    }
  } else {
    constexpr int kLanes = access_lanes<From, NX>();
    const auto* packs = reinterpret_cast<const Pack<From, kLanes>*>(source + first);
    RONDO_UNROLL
    for (int i = 0; i < NX / kLanes; ++i) {
      const Pack<From, kLanes> pack = packs[i];
      RONDO_UNROLL
      for (int x = 0; x < kLanes; ++x) registers[i * kLanes + x] = static_cast<To>(pack.lanes[x]);
    }
  }
}

template <int NX, bool kBoundary, class Block, class To, class From>
RONDO_KERNEL_INLINE void write_data(const Block& block, To* target, const From* registers,
                                    int count = 0) {
  const int first = static_cast<int>(block.thread()) * NX;
  if constexpr (kBoundary) {
    RONDO_UNROLL
    for (int x = 0; x < NX; ++x) {
      if (first + x < count) target[first + x] = static_cast<To>(registers[x]);
    }
  } else {
    constexpr int kLanes = access_lanes<To, NX>();
    auto* packs = reinterpret_cast<Pack<To, kLanes>*>(target + first);
    RONDO_UNROLL
    for (int i = 0; i < NX / kLanes; ++i) {
      Pack<To, kLanes> pack;
      RONDO_UNROLL
      for (int x = 0; x < kLanes; ++x) pack.lanes[x] = static_cast<To>(registers[i * kLanes + x]);
      store_pack(&packs[i], pack);
    }
  }
}

/// Rows and columns of a larger whole, for reductions along either: register y * NX + x of thread t
/// holds row y, column t + x * threads(). Strides are in elements of memory. Columns from `columns`
/// and rows from `rows` on are not read.
template <int NX, int NY, class Block, class To, class From>
RONDO_KERNEL_INLINE void read_strided(const Block& block, To* registers, const From* source,
                                      int columns, int rows, int column_stride, int row_stride) {
  RONDO_UNROLL
  for (int y = 0; y < NY; ++y) {
    RONDO_UNROLL
    for (int x = 0; x < NX; ++x) {
      const int column =
          static_cast<int>(block.thread() + static_cast<unsigned int>(x) * block.threads());
      if (y < rows && column < columns) {
        registers[y * NX + x] =
            static_cast<To>(source[static_cast<long long>(column) * column_stride +
                                   static_cast<long long>(y) * row_stride]);
      }
    }
  }
}

/// From an index in the larger of two shapes to the element of the smaller one that stands for it:
/// dimensions that are 1 there have stride 0. The last dimension comes first.
template <int kMostDimensions>
struct BroadcastMap {
  int dimensions = 0;
  long long extents[kMostDimensions] = {};  ///< of the larger shape
  long long strides[kMostDimensions] = {};  ///< in elements of the smaller one

  RONDO_KERNEL_INLINE long long source(long long index) const {
    long long offset = 0;
    for (int d = 0; d < dimensions; ++d) {
      offset += index % extents[d] * strides[d];
      index /= extents[d];
    }
    return offset;
  }
};

/// The tile that begins at `start` of the larger shape, of which only `total` elements exist.
template <int NX, class Block, class To, class From, class Map>
RONDO_KERNEL_INLINE void read_broadcast(const Block& block, To* registers, const From* source,
                                        const Map& map, long long start, long long total) {
  const long long first = start + static_cast<long long>(block.thread()) * NX;
  RONDO_UNROLL
  for (int x = 0; x < NX; ++x) {
    if (first + x < total) registers[x] = static_cast<To>(source[map.source(first + x)]);
  }
}

}  // namespace rondo::primitives
