// Codecs of the 8-bit wire formats: blocks of codes behind the exponent of their scale.

#include <algorithm>
#include <cstring>

#include "collectives/kernels/wire_codecs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collectives/kernels/wire_blocks.cc"
#include "hwy/foreach_target.h"  // includes this file once per target
// After foreach_target.h, which sets what these are compiled for.
#include "collectives/kernels/dispatch.h"
#include "collectives/kernels/wire_codes-inl.h"
#include "collectives/kernels/wire_losses-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

/// No block is longer than two of these, and none is cut.
using BlockTag = hn::CappedTag<float, 16>;

inline constexpr std::uint32_t kInfinityBits = 0x7f800000;
/// The scale of a block that holds infinity or a NaN.
inline constexpr std::uint8_t kNoScale = 255;

HWY_INLINE std::uint32_t largest_magnitude_bits(const float* source) {
  const BlockTag d;
  const Ints<BlockTag> ints;
  auto most = hn::Zero(ints);
  for (std::size_t i = 0; i < kWireBlock; i += hn::Lanes(d)) {
    most = hn::Max(most, hn::BitCast(ints, hn::Abs(hn::LoadU(d, source + i))));
  }
  return static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(ints, most)));
}

/// The greatest magnitude that has a code, under the greatest scale.
template <class Code>
constexpr float kMostEncoded = Code::kLargest* power_of_two(127 - Code::kTopExponent);

/// The biased exponent of the block's scale: the least with which `largest` has a code.
template <class Code>
HWY_INLINE std::uint8_t scale_of(std::uint32_t largest) {
  // Carries to the exponent where the mantissa is greater than the largest code's.
  const std::uint32_t exponent = (largest + (0x7fffffU - Code::kTopMantissa)) >> 23;
  const int scale = static_cast<int>(exponent) - Code::kTopExponent;
  return static_cast<std::uint8_t>(std::max(scale, Code::kLeastScale));
}

template <class Code>
HWY_INLINE void encode_block(const float* source, std::uint8_t* target);

/// Of a block with elements that have no code.
template <class Code>
HWY_NOINLINE void encode_outliers(const float* source, std::uint32_t largest,
                                  std::uint8_t* target) {
  if (largest >= kInfinityBits) {
    target[0] = kNoScale;
    std::memset(target + 1, 0, kWireBlock);
    return;
  }
  float saturated[kWireBlock];
  for (std::size_t i = 0; i < kWireBlock; ++i) {
    saturated[i] = std::clamp(source[i], -kMostEncoded<Code>, kMostEncoded<Code>);
  }
  encode_block<Code>(saturated, target);
}

template <class Code>
HWY_INLINE void encode_block(const float* source, std::uint8_t* target) {
  const std::uint32_t largest = largest_magnitude_bits(source);
  if (largest > std::bit_cast<std::uint32_t>(kMostEncoded<Code>)) {
    return encode_outliers<Code>(source, largest, target);
  }
  const BlockTag d;
  const hn::Rebind<typename Code::Byte, BlockTag> bytes;
  target[0] = scale_of<Code>(largest);
  const auto inverse = hn::Set(d, power_of_two(127 - target[0]));
  // NOLINTNEXTLINE: signed and unsigned bytes may name each other's memory
  auto* const codes = reinterpret_cast<typename Code::Byte*>(target + 1);
  for (std::size_t i = 0; i < kWireBlock; i += hn::Lanes(d)) {
    const auto scaled = hn::Mul(hn::LoadU(d, source + i), inverse);
    hn::StoreU(hn::DemoteTo(bytes, Code::encode(d, scaled)), bytes, codes + i);
  }
}

template <class Code>
HWY_INLINE void decode_block(const std::uint8_t* source, float* target) {
  const BlockTag d;
  const std::uint32_t bits =
      source[0] == kNoScale ? 0x7fc00000U : static_cast<std::uint32_t>(source[0]) << 23;
  const auto scale = hn::Set(d, std::bit_cast<float>(bits));
  for (std::size_t i = 0; i < kWireBlock; i += hn::Lanes(d)) {
    hn::StoreU(hn::Mul(Code::decode(d, source + 1 + i), scale), d, target + i);
  }
}

template <class Code>
void encode_blocks(const float* source, std::size_t count, std::byte* target) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(target);
  for (; count >= kWireBlock; count -= kWireBlock) {
    encode_block<Code>(source, bytes);
    source += kWireBlock;
    bytes += kWireBlock + 1;
  }
  if (count == 0) return;
  float padded[kWireBlock] = {};
  std::uint8_t block[kWireBlock + 1];
  std::memcpy(padded, source, count * sizeof(float));
  encode_block<Code>(padded, block);
  std::memcpy(bytes, block, count + 1);
}

template <class Code>
void decode_blocks(const std::byte* source, std::size_t count, float* target) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(source);
  for (; count >= kWireBlock; count -= kWireBlock) {
    decode_block<Code>(bytes, target);
    bytes += kWireBlock + 1;
    target += kWireBlock;
  }
  if (count == 0) return;
  std::uint8_t block[kWireBlock + 1] = {};
  float padded[kWireBlock];
  std::memcpy(block, bytes, count + 1);
  decode_block<Code>(block, padded);
  std::memcpy(target, padded, count * sizeof(float));
}

template <class Code, WireFormat format>
struct BlockPiece {
  static constexpr WireFormat kFormat = format;
  static constexpr std::size_t kCount = kWireBlock;
  static constexpr std::size_t kBytes = kWireBlock + 1;
  static HWY_INLINE void encode(const float* source, std::byte* target) {
    encode_block<Code>(source, reinterpret_cast<std::uint8_t*>(target));
  }
  static HWY_INLINE void decode(const std::byte* source, float* target) {
    decode_block<Code>(reinterpret_cast<const std::uint8_t*>(source), target);
  }
};

template <class Code, WireFormat format>
WireCodec codec_of() {
  return {format, &encode_blocks<Code>, &decode_blocks<Code>,
          &encode_losing<BlockPiece<Code, format>>};
}

WireCodec f8e4m3_here() { return codec_of<E4M3Code, WireFormat::kF8E4M3>(); }
WireCodec f8e5m2_here() { return codec_of<E5M2Code, WireFormat::kF8E5M2>(); }
WireCodec int8_here() { return codec_of<Int8Code, WireFormat::kInt8>(); }

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rondo::kernels {

using CodecHere = WireCodec (*)();

WireCodec f8e4m3_codec() { return RONDO_INSTANCE(CodecHere, f8e4m3_here)(); }
WireCodec f8e5m2_codec() { return RONDO_INSTANCE(CodecHere, f8e5m2_here)(); }
WireCodec int8_codec() { return RONDO_INSTANCE(CodecHere, int8_here)(); }

}  // namespace rondo::kernels
#endif  // HWY_ONCE
