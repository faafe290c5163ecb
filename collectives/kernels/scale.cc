#include "collectives/kernels/scale.h"

#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collectives/kernels/scale.cc"
#include "hwy/foreach_target.h"  // includes this file once per target
// After foreach_target.h, which sets what these are compiled for.
#include "collectives/kernels/dispatch.h"
#include "collectives/kernels/half_formats-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

template <class T>
void scale(const void* source, void* target, std::size_t count, double factor) {
  const hn::ScalableTag<T> d;
  const T scalar = static_cast<T>(factor);
  const auto factors = hn::Set(d, scalar);
  const T* from = static_cast<const T*>(source);
  T* to = static_cast<T*>(target);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreU(hn::Mul(hn::LoadU(d, from + i), factors), d, to + i);
  }
  for (; i < count; ++i) to[i] = from[i] * scalar;
}

template <class Format>
void scale_halves(const void* source, void* target, std::size_t count, double factor) {
  const auto scalar = static_cast<float>(factor);
  const auto* from = static_cast<const std::uint16_t*>(source);
  auto* to = static_cast<std::uint16_t*>(target);
  std::size_t i = 0;
  if constexpr (Format::kHasVector) {
    const hn::ScalableTag<std::uint16_t> d;
    const auto factors = hn::Set(FloatsOf<decltype(d)>(), scalar);
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
      auto pair = Format::load(d, from + i);
      pair.first = hn::Mul(pair.first, factors);
      pair.second = hn::Mul(pair.second, factors);
      Format::store(d, pair, to + i);
    }
  }
  for (; i < count; ++i) to[i] = Format::narrow(Format::widen(from[i]) * scalar);
}

ScaleKernel select_scale_here(DataType type) {
  switch (type) {
    case DataType::kF16: return &scale_halves<F16>;
    case DataType::kBF16: return &scale_halves<Bf16>;
    case DataType::kF32: return &scale<float>;
    case DataType::kF64: return &scale<double>;
    default: return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rondo::kernels {

ScaleKernel find_scale_kernel(DataType type) {
  using SelectScale = ScaleKernel (*)(DataType);
  return RONDO_INSTANCE(SelectScale, select_scale_here)(type);
}

}  // namespace rondo::kernels
#endif  // HWY_ONCE
