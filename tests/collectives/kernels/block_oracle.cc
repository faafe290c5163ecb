#include "tests/collectives/kernels/block_oracle.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rondo::kernels {
namespace {

std::uint8_t nearest_code(const BlockFormat& f, double value) {
  const auto codes = codes_of(f);
  std::uint8_t best = 0;
  double best_distance = std::abs(value);
  for (const std::uint8_t code : codes) {
    const double distance = std::abs(meaning(f, code) - std::abs(value));
    if (distance < best_distance || (distance == best_distance && code % 2 == 0)) {
      best = code;
      best_distance = distance;
    }
  }
  if (!std::signbit(value)) return best;
  if (f.mantissa_bits == 0) return static_cast<std::uint8_t>(-best);
  return static_cast<std::uint8_t>(best | 0x80);
}

int scale_of(const BlockFormat& f, double largest) {
  int scale = f.least_scale;
  while (scale < f.most_scale && largest > std::ldexp(f.largest, scale - 127)) ++scale;
  return scale;
}

}  // namespace

double meaning(const BlockFormat& f, std::uint8_t code) {
  if (f.mantissa_bits == 0) return static_cast<std::int8_t>(code);
  const int exponent = (code & 0x7f) >> f.mantissa_bits;
  const int mantissa = code & ((1 << f.mantissa_bits) - 1);
  const int unit = 1 - f.bias - f.mantissa_bits;
  const double value = exponent == 0
                           ? std::ldexp(mantissa, unit)
                           : std::ldexp((1 << f.mantissa_bits) + mantissa, unit + exponent - 1);
  return (code & 0x80) != 0 ? -value : value;
}

std::vector<std::uint8_t> codes_of(const BlockFormat& f) {
  std::vector<std::uint8_t> codes;
  for (int code = 0; code < 128; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    if (meaning(f, byte) <= f.largest) codes.push_back(byte);
  }
  return codes;
}

std::vector<std::uint8_t> encode_block(const BlockFormat& f, const std::vector<float>& block) {
  std::vector<std::uint8_t> bytes(block.size() + 1);
  double largest = 0;
  for (const float value : block) {
    if (!std::isfinite(value)) {
      bytes[0] = 255;
      return bytes;
    }
    largest = std::max(largest, std::abs(double{value}));
  }
  const int scale = scale_of(f, largest);
  bytes[0] = static_cast<std::uint8_t>(scale);
  for (std::size_t i = 0; i < block.size(); ++i) {
    bytes[i + 1] = nearest_code(f, std::ldexp(double{block[i]}, 127 - scale));
  }
  return bytes;
}

std::vector<std::uint8_t> encoded(const WireCodec& codec, const std::vector<float>& values) {
  std::vector<std::uint8_t> bytes(wire_bytes(codec.format, values.size()));
  codec.encode(values.data(), values.size(), reinterpret_cast<std::byte*>(bytes.data()));
  return bytes;
}

std::vector<float> decoded(const WireCodec& codec, const std::vector<std::uint8_t>& bytes,
                           std::size_t count) {
  std::vector<float> values(count);
  codec.decode(reinterpret_cast<const std::byte*>(bytes.data()), count, values.data());
  return values;
}

std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

}  // namespace rondo::kernels
