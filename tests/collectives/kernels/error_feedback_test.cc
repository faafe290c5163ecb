#include "collectives/kernels/error_feedback.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/collectives/kernels/block_oracle.h"
#include "tests/collectives/kernels/reduce_oracle.h"

namespace rondo::kernels {
namespace {

constexpr std::size_t kCount = 2500;  // pieces, and a tail that is no whole block

std::vector<float> some_values(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> any(0, 1);
  std::vector<float> values(kCount);
  for (float& value : values) value = any(random);
  return values;
}

class ErrorFeedback : public testing::TestWithParam<std::string_view> {
 protected:
  WireCodec codec() const { return wire_codec(wire_format_of(GetParam()).value()); }
};

/// With blocks that saturate, or hold what isn't a number.
std::vector<float> values_of_all_kinds() {
  auto values = some_values(5);
  values[40] = std::numeric_limits<float>::max();
  values[70] = std::numeric_limits<float>::infinity();
  values[100] = -std::numeric_limits<float>::infinity();
  values[kCount - 1] = std::numeric_limits<float>::quiet_NaN();
  return values;
}

TEST_P(ErrorFeedback, InOnePass_IsAsStepByStep_OnEveryInstructionSet) {
  const auto values = values_of_all_kinds();
  auto before = values;
  std::vector<float> owed(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    owed[i] = 0.001F * static_cast<float>(i % 7);
    before[i] += owed[i];
  }
  for_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    const auto want_bytes = encoded(codec(), before);
    const auto after = decoded(codec(), want_bytes, kCount);
    std::vector<float> residual = owed;
    std::vector<float> rounded(kCount, -1);
    std::vector<std::uint8_t> bytes(want_bytes.size());
    codec().encode_losing(values.data(), kCount, reinterpret_cast<std::byte*>(bytes.data()),
                          {.residual = residual.data(), .rounded = rounded.data()});
    EXPECT_EQ(bytes, want_bytes);
    EXPECT_EQ(bits_of(rounded), bits_of(after));
    for (std::size_t i = 0; i < kCount; ++i) {
      const float loss = before[i] - after[i];
      ASSERT_EQ(residual[i], std::isfinite(loss) ? loss : 0.0F) << "element " << i;
    }
  });
}

// In whole pieces and in the rest behind them.
TEST_P(ErrorFeedback, MinusZeros_AreAsTheCodecHasThem_OnEveryInstructionSet) {
  for_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    const std::vector<float> values(kCount, -0.0F);
    auto rounded = values;
    std::vector<std::uint8_t> bytes(wire_bytes(codec().format, kCount));
    encode_and_round(codec(), rounded.data(), kCount, nullptr,
                     reinterpret_cast<std::byte*>(bytes.data()));
    EXPECT_EQ(bytes, encoded(codec(), values));
    EXPECT_EQ(bits_of(rounded), bits_of(decoded(codec(), bytes, kCount)));
  });
}

TEST_P(ErrorFeedback, WithoutResidual_RoundsAsTheReceiverDecodes) {
  auto values = some_values(1);
  const auto bytes = encoded(codec(), values);
  const auto want = decoded(codec(), bytes, kCount);
  round_to_wire(codec(), kCount, values.data(), nullptr);
  EXPECT_EQ(bits_of(values), bits_of(want));
  EXPECT_EQ(encoded(codec(), values).size(), bytes.size());
}

TEST_P(ErrorFeedback, EncodedOrRounded_IsTheSameAndKeepsTheSame) {
  const auto values = some_values(2);
  std::vector<float> kept(kCount, 0.003F);
  std::vector<float> kept_too = kept;
  auto rounded = values;
  std::vector<std::uint8_t> bytes(wire_bytes(codec().format, kCount));
  round_to_wire(codec(), kCount, rounded.data(), kept.data());
  encode_to_wire(codec(), values.data(), kCount, kept_too.data(),
                 reinterpret_cast<std::byte*>(bytes.data()));
  EXPECT_EQ(bits_of(decoded(codec(), bytes, kCount)), bits_of(rounded));
  EXPECT_EQ(bits_of(kept), bits_of(kept_too));
}

TEST_P(ErrorFeedback, EncodedAndRounded_IsBoth) {
  for (const float loss : {0.0F, 0.003F}) {
    auto values = some_values(4);
    auto rounded = values;
    std::vector<float> kept(kCount, loss);
    std::vector<float> kept_too = kept;
    float* const residual = loss == 0 ? nullptr : kept.data();
    std::vector<std::uint8_t> bytes(wire_bytes(codec().format, kCount));
    encode_and_round(codec(), values.data(), kCount, residual,
                     reinterpret_cast<std::byte*>(bytes.data()));
    round_to_wire(codec(), kCount, rounded.data(), loss == 0 ? nullptr : kept_too.data());
    EXPECT_EQ(bits_of(values), bits_of(rounded));
    EXPECT_EQ(bits_of(decoded(codec(), bytes, kCount)), bits_of(rounded));
    EXPECT_EQ(bits_of(kept), bits_of(kept_too));
  }
}

TEST_P(ErrorFeedback, SumOfManyRounds_IsOffByOneLossOnly) {
  const auto values = some_values(3);
  std::vector<float> residual(kCount, 0);
  std::vector<double> sum(kCount, 0);
  const int rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    auto rounded = values;
    round_to_wire(codec(), kCount, rounded.data(), residual.data());
    for (std::size_t i = 0; i < kCount; ++i) sum[i] += double{rounded[i]};
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    const double owed = sum[i] + residual[i] - rounds * double{values[i]};
    // What is left are the f32 additions of the residual.
    ASSERT_LE(std::abs(owed), rounds * 1e-7 * (std::abs(values[i]) + std::abs(residual[i]) + 1));
  }
}

TEST_P(ErrorFeedback, LossOfInfinityOrNan_IsForgotten) {
  auto values = some_values(4);
  values[7] = std::numeric_limits<float>::infinity();
  values[1000] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> residual(kCount, 0);
  round_to_wire(codec(), kCount, values.data(), residual.data());
  for (const float kept : residual) ASSERT_TRUE(std::isfinite(kept));
}

INSTANTIATE_TEST_SUITE_P(Formats, ErrorFeedback,
                         testing::Values("bf16", "f16", "f8e4m3", "f8e5m2", "int8"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace rondo::kernels
