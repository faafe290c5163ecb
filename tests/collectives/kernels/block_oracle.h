#pragma once

// The 8-bit wire formats by the book, in fp64 and without haste: the nearest of all codes is looked
// for among all codes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/kernels/wire_format.h"

namespace rondo::kernels {

struct BlockFormat {
  WireFormat format;
  int mantissa_bits;  ///< of a float; 0: an integer
  int bias;
  double largest;
  int least_scale;  ///< as the byte in front of a block
  int most_scale;
};

inline constexpr BlockFormat kBlockFormats[] = {
    {WireFormat::kInt8, 0, 0, 127, 3, 248},
    {WireFormat::kF8E4M3, 3, 7, 448, 12, 246},
    {WireFormat::kF8E5M2, 2, 15, 57344, 19, 239},
};

/// What a code means under scale 1.
double meaning(const BlockFormat& format, std::uint8_t code);
/// Codes that the encoder makes, of plus sign, from zero up.
std::vector<std::uint8_t> codes_of(const BlockFormat& format);
/// The bytes of one block of at most kWireBlock elements.
std::vector<std::uint8_t> encode_block(const BlockFormat& format, const std::vector<float>& block);

std::vector<std::uint8_t> encoded(const WireCodec& codec, const std::vector<float>& values);
std::vector<float> decoded(const WireCodec& codec, const std::vector<std::uint8_t>& bytes,
                           std::size_t count);
/// As words: NaNs and zeros are compared as they are.
std::vector<std::uint32_t> bits_of(const std::vector<float>& values);

}  // namespace rondo::kernels
