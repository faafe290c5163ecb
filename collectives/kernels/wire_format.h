#pragma once

// Wire formats: what f32 data may be sent as, at a half or a quarter of its bytes, and the codecs
// between the two. All round to nearest, ties to even, with the same bits on every instruction set
// and whatever the processor's settings for denormals.
//
// bf16 and f16 are elements one by one, as in core/dtype.h: what is too large for f16 becomes
// infinity. The 8-bit formats are blocks of kWireBlock elements (the last one may be shorter): one
// byte, the exponent of a power of two that the block is divided by, then one code per element.
// The exponent is the least with which the block's largest element has a code, so:
// - an element is off by at most half the distance of two codes: in int8 by less than 1/127 of the
//   largest element of its block (or by 2^-125, if that is more);
// - decoding is exact, and what was decoded once is encoded and decoded again to the same bits.
// A block that holds infinity or a NaN becomes all NaN. An element below 2^-126 (a denormal)
// becomes zero; a block with an element above 2^127 saturates at its largest code. Zeros keep their
// sign, except in int8. Eight-bit floats are those of the Open Compute Project (OFP8) without
// their infinities and NaNs, which the encoder never makes.
// Threads: any. Nothing is allocated.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace rondo::kernels {

enum class WireFormat : std::uint8_t { kNone, kBf16, kF16, kF8E4M3, kF8E5M2, kInt8 };

/// All, by value: "none", "bf16", "f16", "f8e4m3", "f8e5m2", "int8".
std::span<const std::string_view> wire_format_names();
std::string_view to_string(WireFormat format);
/// Nothing where there is none of that name.
std::optional<WireFormat> wire_format_of(std::string_view name);

/// Elements that share a scale in the 8-bit formats. A sequence that is encoded in pieces has the
/// bits of the whole where the pieces but the last are multiples of it.
inline constexpr std::size_t kWireBlock = 32;

/// Bytes that `count` elements are encoded to; more for more elements.
std::size_t wire_bytes(WireFormat format, std::size_t count);

/// What else an encoding stores, element by element.
struct WireLosses {
  /// Added before the encoding; what it loses is stored here, zero in place of what isn't finite.
  /// Null: nothing is kept.
  float* residual = nullptr;
  /// What `decode` makes of the code; may be the source. Null: nobody wants it.
  float* rounded = nullptr;
};

struct WireCodec {
  WireFormat format = WireFormat::kNone;
  /// Reads `count` elements and writes wire_bytes(format, count) bytes.
  void (*encode)(const float* source, std::size_t count, std::byte* target) = nullptr;
  /// The reverse. Any bytes may come: what the encoder never makes becomes some float.
  void (*decode)(const std::byte* source, std::size_t count, float* target) = nullptr;
  /// As encode, in one pass over all of it.
  void (*encode_losing)(const float* source, std::size_t count, std::byte* target,
                        WireLosses losses) = nullptr;
};

/// For the best instruction set of this machine. `format` isn't kNone.
WireCodec wire_codec(WireFormat format);

}  // namespace rondo::kernels
