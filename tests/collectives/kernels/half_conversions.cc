#include "tests/collectives/kernels/half_conversions.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/collectives/kernels/half_conversions.cc"
#include "hwy/foreach_target.h"  // includes this file once per target
// After foreach_target.h, which sets what these are compiled for.
#include "collectives/kernels/dispatch.h"
#include "collectives/kernels/half_formats-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The floats whose bits are first + offset, first + offset + 1, ...; lanes past `last` take it
/// once more.
template <class DF>
HWY_INLINE hn::Vec<DF> floats_from(DF floats, std::uint32_t first, std::uint32_t last,
                                   std::uint32_t offset) {
  const hn::RebindToUnsigned<DF> wide;
  const auto lane = hn::Add(hn::Iota(wide, 0), hn::Set(wide, offset));
  const auto clamped = hn::Min(lane, hn::Set(wide, last - first));
  return hn::BitCast(floats, hn::Add(hn::Set(wide, first), clamped));
}

template <class Format>
bool narrow_all([[maybe_unused]] std::uint32_t first, [[maybe_unused]] std::uint32_t last,
                [[maybe_unused]] std::uint16_t want) {
  using D = hn::ScalableTag<std::uint16_t>;
  if constexpr (Format::kHasVector) {
    const D d;
    const FloatsOf<D> floats;
    const auto lanes = static_cast<std::uint32_t>(hn::Lanes(floats));
    HWY_ALIGN std::uint16_t stored[HWY_MAX_BYTES / sizeof(std::uint16_t)];
    auto wrong = hn::Zero(d);
    for (std::uint64_t done = 0; done <= last - first; done += 2 * lanes) {
      const auto offset = static_cast<std::uint32_t>(done);
      const Pair<D> pair = {floats_from(floats, first, last, offset),
                            floats_from(floats, first, last, offset + lanes)};
      Format::store(d, pair, stored);
      wrong = hn::Or(wrong, hn::Xor(hn::Load(d, stored), hn::Set(d, want)));
    }
    return hn::AllTrue(d, hn::Eq(wrong, hn::Zero(d)));
  }
  return true;
}

template <class Format>
bool widen_all(std::uint16_t element, std::uint32_t want) {
  if (std::bit_cast<std::uint32_t>(Format::widen(element)) != want) return false;
  using D = hn::ScalableTag<std::uint16_t>;
  if constexpr (Format::kHasVector) {
    const D d;
    const hn::RebindToUnsigned<FloatsOf<D>> wide;
    HWY_ALIGN std::uint16_t stored[HWY_MAX_BYTES / sizeof(std::uint16_t)];
    hn::Store(hn::Set(d, element), d, stored);
    const Pair<D> pair = Format::load(d, stored);
    const auto wanted = hn::Set(wide, want);
    return hn::AllTrue(wide, hn::And(hn::Eq(hn::BitCast(wide, pair.first), wanted),
                                     hn::Eq(hn::BitCast(wide, pair.second), wanted)));
  }
  return true;
}

bool narrow_f16(std::uint32_t first, std::uint32_t last, std::uint16_t want) {
  return narrow_all<F16>(first, last, want);
}
bool narrow_bf16(std::uint32_t first, std::uint32_t last, std::uint16_t want) {
  return narrow_all<Bf16>(first, last, want);
}
bool widen_f16(std::uint16_t element, std::uint32_t want) { return widen_all<F16>(element, want); }
bool widen_bf16(std::uint16_t element, std::uint32_t want) {
  return widen_all<Bf16>(element, want);
}

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rondo::kernels {
namespace {

using Narrow = bool (*)(std::uint32_t first, std::uint32_t last, std::uint16_t want);
using Widen = bool (*)(std::uint16_t element, std::uint32_t want);

template <class Convert>
bool scalars_narrow_to(const Convert& convert, std::uint32_t first, std::uint32_t last,
                       std::uint16_t want) {
  std::uint32_t wrong = 0;
  for (std::uint32_t i = 0; i <= last - first; ++i) {
    wrong |= static_cast<std::uint32_t>(convert(std::bit_cast<float>(first + i)) ^ want);
  }
  return wrong == 0;
}

}  // namespace

bool all_narrow_to(DataType type, std::uint32_t first, std::uint32_t last, std::uint16_t want) {
  return type == DataType::kF16 ? RONDO_INSTANCE(Narrow, narrow_f16)(first, last, want)
                                : RONDO_INSTANCE(Narrow, narrow_bf16)(first, last, want);
}

bool all_narrow_to_by_scalars(DataType type, std::uint32_t first, std::uint32_t last,
                              std::uint16_t want) {
  return type == DataType::kF16
             ? scalars_narrow_to([](float v) { return f16_from_f32(v); }, first, last, want)
             : scalars_narrow_to([](float v) { return bf16_from_f32(v); }, first, last, want);
}

bool widens_to(DataType type, std::uint16_t element, std::uint32_t want) {
  return type == DataType::kF16 ? RONDO_INSTANCE(Widen, widen_f16)(element, want)
                                : RONDO_INSTANCE(Widen, widen_bf16)(element, want);
}

}  // namespace rondo::kernels
#endif  // HWY_ONCE
