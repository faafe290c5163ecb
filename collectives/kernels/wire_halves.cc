// Codecs of the 16-bit wire formats: the conversions of the reduce kernels (half_formats-inl.h),
// from and to memory.

#include <cstring>

#include "collectives/kernels/wire_codecs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collectives/kernels/wire_halves.cc"
#include "hwy/foreach_target.h"  // includes this file once per target
// After foreach_target.h, which sets what these are compiled for.
#include "collectives/kernels/dispatch.h"
#include "collectives/kernels/half_formats-inl.h"
#include "collectives/kernels/wire_losses-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

using Halves = hn::ScalableTag<std::uint16_t>;
using Floats = FloatsOf<Halves>;

/// The elements of a vector in the lanes where `Format` wants them.
template <class Format>
struct InMemory {
  static HWY_INLINE Pair<Halves> load(const float* source) {
    const Floats floats;
    return {hn::LoadU(floats, source), hn::LoadU(floats, source + hn::Lanes(floats))};
  }
  static HWY_INLINE void store(Pair<Halves> value, float* target) {
    const Floats floats;
    hn::StoreU(value.first, floats, target);
    hn::StoreU(value.second, floats, target + hn::Lanes(floats));
  }
};

/// Even elements, then odd ones.
template <>
struct InMemory<Bf16> {
  static HWY_INLINE Pair<Halves> load(const float* source) {
    hn::Vec<Floats> even;
    hn::Vec<Floats> odd;
    hn::LoadInterleaved2(Floats(), source, even, odd);
    return {even, odd};
  }
  static HWY_INLINE void store(Pair<Halves> value, float* target) {
    hn::StoreInterleaved2(value.first, value.second, Floats(), target);
  }
};

/// How many of them are converted a vector at a time.
template <class Format>
HWY_INLINE std::size_t in_vectors(std::size_t count) {
  return Format::kHasVector ? count - count % hn::Lanes(Halves()) : 0;
}

template <class Format>
void encode_halves(const float* source, std::size_t count, std::byte* target) {
  const std::size_t whole = in_vectors<Format>(count);
  if constexpr (Format::kHasVector) {
    const Halves halves;
    auto* elements = reinterpret_cast<std::uint16_t*>(target);
    for (std::size_t i = 0; i < whole; i += hn::Lanes(halves)) {
      Format::store(halves, InMemory<Format>::load(source + i), elements + i);
    }
  }
  for (std::size_t i = whole; i < count; ++i) {
    const std::uint16_t element = Format::narrow(source[i]);
    std::memcpy(target + i * sizeof(element), &element, sizeof(element));
  }
}

template <class Format>
void decode_halves(const std::byte* source, std::size_t count, float* target) {
  const std::size_t whole = in_vectors<Format>(count);
  if constexpr (Format::kHasVector) {
    const Halves halves;
    const auto* elements = reinterpret_cast<const std::uint16_t*>(source);
    for (std::size_t i = 0; i < whole; i += hn::Lanes(halves)) {
      InMemory<Format>::store(Format::load(halves, elements + i), target + i);
    }
  }
  for (std::size_t i = whole; i < count; ++i) {
    std::uint16_t element = 0;
    std::memcpy(&element, source + i * sizeof(element), sizeof(element));
    target[i] = Format::widen(element);
  }
}

template <class Format, WireFormat format>
struct HalvesPiece {
  static constexpr WireFormat kFormat = format;
  static constexpr std::size_t kCount = 64;
  static constexpr std::size_t kBytes = kCount * sizeof(std::uint16_t);
  static HWY_INLINE void encode(const float* source, std::byte* target) {
    encode_halves<Format>(source, kCount, target);
  }
  static HWY_INLINE void decode(const std::byte* source, float* target) {
    decode_halves<Format>(source, kCount, target);
  }
};

template <class Format, WireFormat format>
WireCodec codec_of() {
  return {format, &encode_halves<Format>, &decode_halves<Format>,
          &encode_losing<HalvesPiece<Format, format>>};
}

WireCodec bf16_here() { return codec_of<Bf16, WireFormat::kBf16>(); }
WireCodec f16_here() { return codec_of<F16, WireFormat::kF16>(); }

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rondo::kernels {

using CodecHere = WireCodec (*)();

WireCodec bf16_codec() { return RONDO_INSTANCE(CodecHere, bf16_here)(); }
WireCodec f16_codec() { return RONDO_INSTANCE(CodecHere, f16_here)(); }

}  // namespace rondo::kernels
#endif  // HWY_ONCE
