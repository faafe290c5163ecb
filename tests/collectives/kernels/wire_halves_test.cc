// The 16-bit wire formats against core/dtype.h, which half_formats_test holds to their definition.

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "core/dtype.h"
#include "tests/collectives/kernels/block_oracle.h"
#include "tests/collectives/kernels/reduce_oracle.h"

namespace rondo::kernels {
namespace {

std::uint16_t narrowed(WireFormat format, float value) {
  return format == WireFormat::kBf16 ? bf16_from_f32(value) : f16_from_f32(value);
}
float widened(WireFormat format, std::uint16_t element) {
  return format == WireFormat::kBf16 ? f32_from_bf16(element) : f32_from_f16(element);
}

class WireHalves : public testing::TestWithParam<WireFormat> {};

TEST_P(WireHalves, EveryElement_Decoded_IsExactAndEncodesToItself) {
  std::vector<std::uint8_t> bytes;
  std::vector<float> want;
  for (std::uint32_t element = 0; element <= 0xffff; ++element) {
    bytes.push_back(static_cast<std::uint8_t>(element));
    bytes.push_back(static_cast<std::uint8_t>(element >> 8));
    want.push_back(widened(GetParam(), static_cast<std::uint16_t>(element)));
  }
  for_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    const WireCodec codec = wire_codec(GetParam());
    const auto once = decoded(codec, bytes, want.size());
    EXPECT_EQ(bits_of(once), bits_of(want));
    const auto quiet = decoded(codec, encoded(codec, once), want.size());
    EXPECT_EQ(bits_of(decoded(codec, encoded(codec, quiet), want.size())), bits_of(quiet));
  });
}

TEST_P(WireHalves, AnyFloatsOfAnyLength_Encoded_AreRoundedToNearestEven) {
  std::mt19937 random(3);
  for (std::size_t count = 0; count < 300; ++count) {
    std::vector<float> values;
    std::vector<std::uint8_t> want;
    for (std::size_t i = 0; i < count; ++i) {
      // Half of them in the middle of two elements.
      const auto bits = static_cast<std::uint32_t>(random());
      values.push_back(std::bit_cast<float>(i % 2 == 0 ? bits : (bits & 0xffff8000U) | 0x8000U));
      const std::uint16_t element = narrowed(GetParam(), values.back());
      want.push_back(static_cast<std::uint8_t>(element));
      want.push_back(static_cast<std::uint8_t>(element >> 8));
    }
    for_each_instruction_set([&](const std::string& name) {
      ASSERT_EQ(encoded(wire_codec(GetParam()), values), want) << name << ", " << count;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, WireHalves, testing::Values(WireFormat::kBf16, WireFormat::kF16),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST(WireFormats, Names_AreUnderstoodAgain) {
  for (const std::string_view name : wire_format_names()) {
    EXPECT_EQ(to_string(wire_format_of(name).value()), name);
  }
  EXPECT_FALSE(wire_format_of("int4").has_value());
}

TEST(WireFormats, Bytes_GrowWithEveryElement) {
  for (const auto name : wire_format_names()) {
    const WireFormat format = wire_format_of(name).value();
    EXPECT_EQ(wire_bytes(format, 0), 0U);
    for (std::size_t count = 0; count < 200; ++count) {
      EXPECT_LT(wire_bytes(format, count), wire_bytes(format, count + 1)) << name;
    }
  }
}

}  // namespace
}  // namespace rondo::kernels
