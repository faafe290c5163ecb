// The loop of every reduce kernel, compiled once per instruction set, element and op.
//
// Elements are combined in blocks of four vectors that stay in registers while the sources go by:
// memory is read once per source and written once per target, whatever the number of either. All
// sources of a block are read before any target is written, so a target may be a source. Two to
// four sources are unrolled; more run through a loop. What is left after the last whole block goes
// through `reduce_tail`, which every form shares.

#if defined(RONDO_REDUCE_LOOP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef RONDO_REDUCE_LOOP_INL_H
#undef RONDO_REDUCE_LOOP_INL_H
#else
#define RONDO_REDUCE_LOOP_INL_H
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "collectives/kernels/half_formats-inl.h"
#include "collectives/kernels/reduce.h"
#include "collectives/kernels/reduce_ops-inl.h"
#include "core/cache_line.h"
#include "core/prefetch.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The number of sources or targets isn't known to the compiler.
inline constexpr std::size_t kAny = 0;

/// Typed pointers of a call. With a fixed count they are a local array, which the compiler can
/// keep in registers (vector stores may alias the caller's arrays); otherwise they stay where
/// they are.
template <class T, std::size_t kFixed>
struct Sources {
  explicit Sources(const ReduceArguments& arguments) {
    for (std::size_t i = 0; i < kFixed; ++i) {
      pointers[i] = static_cast<const T*>(arguments.sources[i]);
    }
  }
  const T* operator[](std::size_t i) const { return pointers[i]; }
  static constexpr std::size_t size() { return kFixed; }
  std::array<const T*, kFixed> pointers;
};

template <class T>
struct Sources<T, kAny> {
  explicit Sources(const ReduceArguments& arguments) : pointers(arguments.sources) {}
  const T* operator[](std::size_t i) const { return static_cast<const T*>(pointers[i]); }
  std::size_t size() const { return pointers.size(); }
  std::span<const void* const> pointers;
};

template <class T, std::size_t kFixed>
struct Targets {
  explicit Targets(const ReduceArguments& arguments) {
    for (std::size_t i = 0; i < kFixed; ++i) pointers[i] = static_cast<T*>(arguments.targets[i]);
  }
  T* operator[](std::size_t i) const { return pointers[i]; }
  static constexpr std::size_t size() { return kFixed; }
  std::array<T*, kFixed> pointers;
};

template <class T>
struct Targets<T, kAny> {
  explicit Targets(const ReduceArguments& arguments) : pointers(arguments.targets) {}
  T* operator[](std::size_t i) const { return static_cast<T*>(pointers[i]); }
  std::size_t size() const { return pointers.size(); }
  std::span<void* const> pointers;
};

/// Elements [begin, end), one vector of `d` at a time; the first element not done.
template <class Op, class D, class T = hn::TFromD<D>>
HWY_INLINE std::size_t reduce_vectors(D d, const ReduceArguments& arguments, std::size_t begin) {
  const Sources<T, kAny> sources(arguments);
  const Targets<T, kAny> targets(arguments);
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = begin;
  for (; i + lanes <= arguments.count; i += lanes) {
    auto value = Op::load(d, sources[0] + i);
    for (std::size_t s = 1; s < sources.size(); ++s) {
      value = Op::vector(d, value, Op::load(d, sources[s] + i));
    }
    value = Op::settle_vector(d, Op::finish_vector(d, value, arguments.divisor));
    for (std::size_t t = 0; t < targets.size(); ++t) Op::store(d, value, targets[t] + i);
  }
  return i;
}

template <class Op, class T>
HWY_INLINE void reduce_scalars(const ReduceArguments& arguments, std::size_t begin) {
  const Sources<T, kAny> sources(arguments);
  const Targets<T, kAny> targets(arguments);
  for (std::size_t i = begin; i < arguments.count; ++i) {
    auto value = Op::load_scalar(sources[0][i]);
    for (std::size_t s = 1; s < sources.size(); ++s) {
      value = Op::scalar(value, Op::load_scalar(sources[s][i]));
    }
    const T result =
        Op::store_scalar(Op::settle_scalar(Op::finish_scalar(value, arguments.divisor)));
    for (std::size_t t = 0; t < targets.size(); ++t) targets[t][i] = result;
  }
}

/// The same of two sources to one target, as short calls have it: nothing is looked up again for
/// each element.
template <class Op, class T>
HWY_INLINE void reduce_scalars_of_pair(const ReduceArguments& arguments, std::size_t begin) {
  const Sources<T, 2> sources(arguments);
  T* const target = static_cast<T*>(arguments.targets[0]);
  for (std::size_t i = begin; i < arguments.count; ++i) {
    const auto value = Op::scalar(Op::load_scalar(sources[0][i]), Op::load_scalar(sources[1][i]));
    target[i] = Op::store_scalar(Op::settle_scalar(Op::finish_scalar(value, arguments.divisor)));
  }
}

/// Less than a block: whole vectors, then 16 bytes at a time, then element by element.
template <class Op, class T>
HWY_NOINLINE void reduce_tail(const ReduceArguments& arguments, std::size_t begin) {
  if constexpr (Op::template kHasVector<T>) {
    const hn::ScalableTag<T> full;
    const hn::CappedTag<T, 16 / sizeof(T)> narrow;
    if (arguments.count - begin >= hn::Lanes(narrow)) {
      begin = reduce_vectors<Op>(full, arguments, begin);
      begin = reduce_vectors<Op>(narrow, arguments, begin);
    }
  }
  if (arguments.sources.size() == 2 && arguments.targets.size() == 1)
    return reduce_scalars_of_pair<Op, T>(arguments, begin);
  reduce_scalars<Op, T>(arguments, begin);
}

/// Of several targets some may be other ranks' memory, whose lines are in other caches: stores are
/// made one behind the other, and each would wait for its line. So lines are asked for some blocks
/// ahead, but for those of sources, which reading them does. (A third to two fifths of an
/// all_reduce of 16 to 64 KiB out of place, in registered memory of two ranks.)
template <class T>
class StoresAhead {
 public:
  explicit StoresAhead(const ReduceArguments& arguments) : count_(arguments.count) {
    if (count_ <= kAhead) return;
    const auto& sources = arguments.sources;
    for (std::size_t t = 0; t < std::min(arguments.targets.size(), kMostTargets); ++t) {
      const void* const target = arguments.targets[t];
      if (std::find(sources.begin(), sources.end(), target) == sources.end()) asked_ |= 1U << t;
    }
  }
  /// The block from element `begin` on is next.
  template <std::size_t kFixed>
  HWY_INLINE void ask(const Targets<T, kFixed>& targets, std::size_t begin,
                      std::size_t block) const {
    // What lies behind the targets is somebody else's.
    if (asked_ == 0 || begin + kAhead + block > count_) return;
    for (std::size_t t = 0; t < std::min(targets.size(), kMostTargets); ++t) {
      if ((asked_ >> t & 1U) == 0) continue;
      for (std::size_t i = 0; i < block; i += kCacheLineBytes / sizeof(T))
        prefetch_to_write(reinterpret_cast<const std::byte*>(targets[t] + begin + kAhead + i));
    }
  }

 private:
  static constexpr std::size_t kMostTargets = 32;
  static constexpr std::size_t kAhead = 512 / sizeof(T);
  std::size_t count_;
  std::uint32_t asked_ = 0;  ///< by target
};

/// Whole blocks from the front; the first element not done. Stores are regular ones: they leave
/// the result in the cache for the next sweep. A streaming form would differ in `store` alone.
template <class Op, class T, std::size_t kSources, std::size_t kTargets>
HWY_NOINLINE std::size_t reduce_blocks(const ReduceArguments& arguments) {
  const hn::ScalableTag<T> d;
  const Sources<T, kSources> sources(arguments);
  const Targets<T, kTargets> targets(arguments);
  const int divisor = arguments.divisor;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t count = arguments.count;
  const StoresAhead<T> ahead(arguments);
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    ahead.ask(targets, i, 4 * lanes);
    const T* source = sources[0] + i;
    auto v0 = Op::load(d, source);
    auto v1 = Op::load(d, source + lanes);
    auto v2 = Op::load(d, source + 2 * lanes);
    auto v3 = Op::load(d, source + 3 * lanes);
    for (std::size_t s = 1; s < sources.size(); ++s) {
      source = sources[s] + i;
      v0 = Op::vector(d, v0, Op::load(d, source));
      v1 = Op::vector(d, v1, Op::load(d, source + lanes));
      v2 = Op::vector(d, v2, Op::load(d, source + 2 * lanes));
      v3 = Op::vector(d, v3, Op::load(d, source + 3 * lanes));
    }
    v0 = Op::settle_vector(d, Op::finish_vector(d, v0, divisor));
    v1 = Op::settle_vector(d, Op::finish_vector(d, v1, divisor));
    v2 = Op::settle_vector(d, Op::finish_vector(d, v2, divisor));
    v3 = Op::settle_vector(d, Op::finish_vector(d, v3, divisor));
    for (std::size_t t = 0; t < targets.size(); ++t) {
      T* target = targets[t] + i;
      Op::store(d, v0, target);
      Op::store(d, v1, target + lanes);
      Op::store(d, v2, target + 2 * lanes);
      Op::store(d, v3, target + 3 * lanes);
    }
  }
  return i;
}

template <class Op, class T, std::size_t kTargets>
std::size_t reduce_blocks_of_sources(const ReduceArguments& arguments) {
  switch (arguments.sources.size()) {
    case 2: return reduce_blocks<Op, T, 2, kTargets>(arguments);
    case 3: return reduce_blocks<Op, T, 3, kTargets>(arguments);
    case 4: return reduce_blocks<Op, T, 4, kTargets>(arguments);
    default: return reduce_blocks<Op, T, kAny, kTargets>(arguments);
  }
}

/// One source and nothing to divide: a copy, the same for every op and element.
template <class T>
void copy_to_targets(const ReduceArguments& arguments) {
  const void* source = arguments.sources[0];
  for (void* target : arguments.targets) {
    if (target != source) std::memcpy(target, source, arguments.count * sizeof(T));
  }
}

/// The kernel: a ReduceKernel of one op and element.
template <class Op, class T>
void reduce(const ReduceArguments& arguments) {
  if (arguments.count == 0) return;
  if (arguments.sources.size() == 1 && arguments.divisor == 1) {
    return copy_to_targets<T>(arguments);
  }
  std::size_t done = 0;
  if constexpr (Op::template kHasVector<T>) {
    if (arguments.count >= 4 * hn::Lanes(hn::ScalableTag<T>())) {
      done = arguments.targets.size() == 1 ? reduce_blocks_of_sources<Op, T, 1>(arguments)
                                           : reduce_blocks_of_sources<Op, T, kAny>(arguments);
    }
  }
  if (done < arguments.count) reduce_tail<Op, T>(arguments, done);
}

/// Averages divide far less often than sums add (once per all-reduce), so they are not unrolled.
template <class SumOp, class AverageOp, class T>
void reduce_average(const ReduceArguments& arguments) {
  if (arguments.divisor == 1) return reduce<SumOp, T>(arguments);
  std::size_t done = 0;
  if constexpr (AverageOp::template kHasVector<T>) {
    done = reduce_blocks<AverageOp, T, kAny, kAny>(arguments);
  }
  if (done < arguments.count) reduce_tail<AverageOp, T>(arguments, done);
}

/// The kernels of one element type, for this target. `Element` decides order and division; sums
/// and products of integers run on the unsigned type of its size. Null for bitwise ops, which are
/// the same for all sizes (reduce_bits.cc).
template <class Element>
ReduceKernel select_kernel(ReduceOp op) {
  using T =
      typename std::conditional_t<std::is_floating_point_v<Element>, std::type_identity<Element>,
                                  std::make_unsigned<Element>>::type;
  switch (op) {
    case ReduceOp::kSum: return &reduce<Sum, T>;
    case ReduceOp::kProd: return &reduce<Product, T>;
    case ReduceOp::kMin: return &reduce<Minimum, Element>;
    case ReduceOp::kMax: return &reduce<Maximum, Element>;
    case ReduceOp::kAvg: return &reduce_average<Sum, Average<Element>, T>;
    case ReduceOp::kBitAnd:
    case ReduceOp::kBitOr:
    case ReduceOp::kBitXor: break;
  }
  return nullptr;
}

/// The same for a 16-bit float.
template <class Format>
ReduceKernel select_half_kernel(ReduceOp op) {
  using T = std::uint16_t;
  using Adding = Widened<Sum, Format>;
  switch (op) {
    case ReduceOp::kSum: return &reduce<Adding, T>;
    case ReduceOp::kProd: return &reduce<Widened<Product, Format>, T>;
    case ReduceOp::kMin: return &reduce<Widened<Minimum, Format>, T>;
    case ReduceOp::kMax: return &reduce<Widened<Maximum, Format>, T>;
    case ReduceOp::kAvg: return &reduce_average<Adding, Widened<Average<float>, Format>, T>;
    case ReduceOp::kBitAnd:
    case ReduceOp::kBitOr:
    case ReduceOp::kBitXor: break;
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#endif  // RONDO_REDUCE_LOOP_INL_H
