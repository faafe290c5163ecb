// The 8-bit wire formats against their definition (block_oracle.h), on every instruction set.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/collectives/kernels/block_oracle.h"
#include "tests/collectives/kernels/flushed_denormals.h"
#include "tests/collectives/kernels/reduce_oracle.h"

namespace rondo::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kMost = std::numeric_limits<float>::max();
constexpr float kDenormal = std::numeric_limits<float>::denorm_min();

/// Elements of one binade or of a few, anywhere among the floats.
std::vector<float> random_values(std::size_t count, std::mt19937& random, int spread) {
  std::uniform_int_distribution<int> any_exponent(-126, 127 - spread);
  std::uniform_real_distribution<float> any_mantissa(1, 2);
  const int exponent = any_exponent(random);
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    const float value = std::ldexp(
        any_mantissa(random), exponent + std::uniform_int_distribution<int>(0, spread)(random));
    values.push_back(random() % 2 == 0 ? value : -value);
  }
  return values;
}

class WireBlocks : public testing::TestWithParam<BlockFormat> {
 protected:
  /// On every instruction set.
  template <class Check>
  void for_each_codec(const Check& check) const {
    for_each_instruction_set([&](const std::string& name) {
      SCOPED_TRACE(name);
      check(wire_codec(GetParam().format));
    });
  }
  void expect_encoded_as_defined(const std::vector<float>& block) const {
    const auto want = encode_block(GetParam(), block);
    for_each_codec([&](const WireCodec& codec) {
      ASSERT_EQ(encoded(codec, block), want) << "first element " << block[0];
    });
  }
};

TEST_P(WireBlocks, EveryCodeUnderEveryScale_Decoded_IsExact) {
  const BlockFormat& f = GetParam();
  for_each_codec([&](const WireCodec& codec) {
    for (int scale = f.least_scale; scale <= f.most_scale; ++scale) {
      for (int first = 0; first < 256; first += static_cast<int>(kWireBlock)) {
        std::vector<std::uint8_t> bytes{static_cast<std::uint8_t>(scale)};
        std::vector<float> want;
        for (int code = first; code < first + static_cast<int>(kWireBlock); ++code) {
          bytes.push_back(static_cast<std::uint8_t>(code));
          want.push_back(static_cast<float>(std::ldexp(meaning(f, bytes.back()), scale - 127)));
        }
        ASSERT_EQ(bits_of(decoded(codec, bytes, want.size())), bits_of(want)) << scale;
      }
    }
  });
}

TEST_P(WireBlocks, MiddleOfTwoCodes_Encoded_GoesToTheEvenOne) {
  const auto codes = codes_of(GetParam());
  for (std::size_t i = 0; i + 1 < codes.size(); ++i) {
    const auto middle =
        static_cast<float>((meaning(GetParam(), codes[i]) + meaning(GetParam(), codes[i + 1])) / 2);
    const auto largest = static_cast<float>(GetParam().largest);
    const float below = std::nextafter(middle, 0.0F);
    const float above = std::nextafter(middle, largest);
    expect_encoded_as_defined({largest, middle, -middle, below, -below, above, -above});
  }
}

TEST_P(WireBlocks, AnyBlockOfAnyLength_Encoded_IsAsDefined) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    for (std::size_t count = 1; count <= kWireBlock; ++count) {
      expect_encoded_as_defined(random_values(count, random, round % 10));
    }
  }
}

TEST_P(WireBlocks, SeveralBlocks_Encoded_AreOneBehindTheOther) {
  std::mt19937 random(11);
  for (const std::size_t count : {0U, 31U, 32U, 33U, 64U, 95U, 1000U}) {
    const auto values = random_values(count, random, 20);
    std::vector<std::uint8_t> want;
    for (std::size_t first = 0; first < count; first += static_cast<int>(kWireBlock)) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
      const std::size_t length = std::min(kWireBlock, count - first);
      const auto block =
          encode_block(GetParam(), {begin, begin + static_cast<std::ptrdiff_t>(length)});
      want.insert(want.end(), block.begin(), block.end());
    }
    for_each_codec([&](const WireCodec& codec) { EXPECT_EQ(encoded(codec, values), want); });
  }
}

TEST_P(WireBlocks, DecodedOnce_EncodedAgain_HasTheSameBits) {
  std::mt19937 random(13);
  for (int round = 0; round < 3000; ++round) {
    auto values = random_values(64, random, round % 40);
    if (round % 100 == 0) values[3] = round % 200 == 0 ? kMost : -kMost;
    if (round % 101 == 0) values[40] = kInfinity;
    for_each_codec([&](const WireCodec& codec) {
      const auto once = decoded(codec, encoded(codec, values), values.size());
      const auto twice = decoded(codec, encoded(codec, once), values.size());
      ASSERT_EQ(bits_of(once), bits_of(twice)) << "round " << round;
    });
  }
}

TEST_P(WireBlocks, AnyBlock_DecodedAgain_IsOffByHalfACodeAtMost) {
  const BlockFormat& f = GetParam();
  std::mt19937 random(17);
  for (int round = 0; round < 2000; ++round) {
    const auto values = random_values(kWireBlock, random, 3);
    const WireCodec codec = wire_codec(f.format);
    const auto back = decoded(codec, encoded(codec, values), values.size());
    float largest = 0;
    for (const float value : values) largest = std::max(largest, std::abs(value));
    if (largest > 0x1p127F) continue;  // may saturate
    for (std::size_t i = 0; i < values.size(); ++i) {
      // An integer's distance is at most a 64th of the largest element; a float's its own last
      // place, and then a denormal's.
      const double floats = std::abs(double{values[i]}) / (2 << f.mantissa_bits);
      const double bound = f.mantissa_bits == 0 ? double{largest} / 127 : floats;
      const double least = std::ldexp(1.0, -125);
      ASSERT_LE(std::abs(double{back[i]} - values[i]), bound + least) << values[i];
    }
  }
}

TEST_P(WireBlocks, ZerosAndDenormals_Decoded_AreZero) {
  for_each_codec([&](const WireCodec& codec) {
    const std::vector<float> values = {0.0F, kDenormal, -kDenormal, 1.17e-38F};
    for (const bool flushed : {false, true}) {
      const auto bytes = [&] {
        if (!flushed) return encoded(codec, values);
        const FlushedDenormals flush;
        return encoded(codec, values);
      }();
      for (const float value : decoded(codec, bytes, values.size())) EXPECT_EQ(value, 0.0F);
      EXPECT_EQ(bytes, encode_block(GetParam(), values));
    }
  });
}

TEST_P(WireBlocks, MinusZero_Decoded_KeepsItsSignInFloats) {
  const WireCodec codec = wire_codec(GetParam().format);
  const auto back = decoded(codec, encoded(codec, {1.0F, -0.0F}), 2);
  EXPECT_EQ(std::signbit(back[1]), GetParam().mantissa_bits != 0);
}

TEST_P(WireBlocks, InfinityOrNan_MakesItsBlockNan_AndNoOther) {
  for (const float bad : {kInfinity, -kInfinity, kNan, -kNan}) {
    for_each_codec([&](const WireCodec& codec) {
      std::vector<float> values(2 * kWireBlock, 1.0F);
      values[5] = bad;
      const auto back = decoded(codec, encoded(codec, values), values.size());
      for (std::size_t i = 0; i < back.size(); ++i) {
        const std::uint32_t want = std::bit_cast<std::uint32_t>(i < kWireBlock ? kNan : 1.0F);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(back[i]), want) << i;
      }
    });
  }
}

TEST_P(WireBlocks, LargestFloats_Decoded_StayFinite) {
  for_each_codec([&](const WireCodec& codec) {
    const auto back = decoded(codec, encoded(codec, {kMost, -kMost, 1.0F}), 3);
    EXPECT_NEAR(back[0] / kMost, 1.0F, GetParam().mantissa_bits == 0 ? 0.01 : 0.125);
    EXPECT_EQ(back[1], -back[0]);
  });
}

INSTANTIATE_TEST_SUITE_P(Formats, WireBlocks, testing::ValuesIn(kBlockFormats),
                         [](const auto& one) { return std::string(to_string(one.param.format)); });

}  // namespace
}  // namespace rondo::kernels
