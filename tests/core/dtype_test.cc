#include "core/dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace rondo {
namespace {

using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(DataType, everyName_isParsedBack) {
  for (int i = 0; i <= static_cast<int>(DataType::kF64); ++i) {
    const auto type = static_cast<DataType>(i);
    ASSERT_TRUE(parse_data_type(to_string(type)).ok()) << to_string(type);
    EXPECT_EQ(parse_data_type(to_string(type)).value(), type);
  }
}

TEST(Buffer, ofATypedPointer_hasItsType) {
  std::vector<double> doubles(3);
  std::vector<std::int64_t> wholes(2);
  EXPECT_EQ(Buffer(doubles.data(), doubles.size()).dtype, DataType::kF64);
  EXPECT_EQ(Buffer(wholes.data(), wholes.size()).dtype, DataType::kI64);
  EXPECT_EQ(data_type_of<long long>(), DataType::kI64);
  EXPECT_EQ(data_type_of<unsigned char>(), DataType::kU8);
  const Buffer halves(static_cast<void*>(doubles.data()), 12, DataType::kF16);
  EXPECT_EQ(halves.dtype, DataType::kF16);
  EXPECT_EQ(ConstBuffer(halves).dtype, DataType::kF16);
  EXPECT_EQ(ConstBuffer(halves).pointer, doubles.data());
}

TEST(Buffer, ofWhatCannotBeKnownOrWritten_doesNotCompile) {
  static_assert(!std::is_constructible_v<Buffer, void*, std::size_t>);
  static_assert(!std::is_constructible_v<Buffer, const float*, std::size_t>);
  static_assert(!std::is_constructible_v<Buffer, const float*, std::size_t, DataType>);
  static_assert(!std::is_constructible_v<Buffer, bool*, std::size_t>);
  static_assert(!std::is_constructible_v<Buffer, ConstBuffer>);
  static_assert(std::is_constructible_v<ConstBuffer, const float*, std::size_t>);
}

TEST(DataType, sizeOf_isTheNumberInTheName) {
  EXPECT_EQ(size_of(DataType::kI8), 1U);
  EXPECT_EQ(size_of(DataType::kU8), 1U);
  EXPECT_EQ(size_of(DataType::kF16), 2U);
  EXPECT_EQ(size_of(DataType::kBF16), 2U);
  EXPECT_EQ(size_of(DataType::kI32), 4U);
  EXPECT_EQ(size_of(DataType::kU32), 4U);
  EXPECT_EQ(size_of(DataType::kF32), 4U);
  EXPECT_EQ(size_of(DataType::kI64), 8U);
  EXPECT_EQ(size_of(DataType::kU64), 8U);
  EXPECT_EQ(size_of(DataType::kF64), 8U);
}

TEST(DataType, unknownName_listsWhatIsAllowed) {
  const Status status = parse_data_type("float").status();
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "\"float\" is no data type: allowed are i8, u8, i32, u32, i64, u64, f16, bf16, f32, "
            "f64");
  EXPECT_FALSE(parse_data_type("").ok());
  EXPECT_FALSE(parse_data_type("F32").ok());
  EXPECT_FALSE(parse_data_type("f32 ").ok());
}

TEST(DataType, noEnumerator_isUnknownAndHasNoSize) {
  EXPECT_STREQ(to_string(static_cast<DataType>(200)), "unknown");
  EXPECT_EQ(size_of(static_cast<DataType>(200)), 0U);
  EXPECT_STREQ(to_string(static_cast<ReduceOp>(200)), "unknown");
}

TEST(ReduceOp, everyName_isParsedBack) {
  for (int i = 0; i <= static_cast<int>(ReduceOp::kBitXor); ++i) {
    const auto op = static_cast<ReduceOp>(i);
    ASSERT_TRUE(parse_reduce_op(to_string(op)).ok()) << to_string(op);
    EXPECT_EQ(parse_reduce_op(to_string(op)).value(), op);
  }
  EXPECT_THAT(parse_reduce_op("mean").status().message(),
              HasSubstr("sum, prod, min, max, avg, band, bor, bxor"));
}

TEST(BF16, everyUpperHalf_survivesTheWayThereAndBack) {
  for (std::uint32_t upper = 0; upper <= 0xffffU; ++upper) {
    const auto half = static_cast<std::uint16_t>(upper);
    const bool nan = std::isnan(f32_from_bf16(half));
    const std::uint32_t expected = nan ? upper | 0x40U : upper;  // a signalling NaN turns quiet
    ASSERT_EQ(bf16_from_f32(f32_from_bf16(half)), expected) << std::hex << upper;
  }
}

TEST(BF16, everyUpperHalf_roundsToNearestEven) {
  for (std::uint32_t upper = 0; upper <= 0xffffU; ++upper) {
    if ((upper & 0x7f80U) == 0x7f80U) continue;  // infinities and NaN have no neighbours
    for (const std::uint32_t lower : {0x0U, 0x1U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
      const bool up = lower > 0x8000U || (lower == 0x8000U && upper % 2 == 1);
      const float value = std::bit_cast<float>((upper << 16) | lower);
      ASSERT_EQ(bf16_from_f32(value), upper + (up ? 1U : 0U)) << std::hex << upper << " " << lower;
    }
  }
}

TEST(BF16, nanWithPayloadBelowTheCut_staysNan) {
  const float nan = std::bit_cast<float>(0xff800001U);
  EXPECT_EQ(bf16_from_f32(nan), 0xffc0U);
}

/// The meaning of a finite binary16, by the book.
double f16_meaning(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1f;
  const int mantissa = half & 0x3ff;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(F16, everyFiniteValue_convertsExactlyAndBack) {
  for (std::uint32_t bits = 0; bits <= 0xffffU; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if ((half & 0x7c00U) == 0x7c00U) continue;
    ASSERT_EQ(static_cast<double>(f32_from_f16(half)), f16_meaning(half)) << std::hex << bits;
    ASSERT_EQ(std::signbit(f32_from_f16(half)), (half & 0x8000U) != 0) << std::hex << bits;
    ASSERT_EQ(f16_from_f32(f32_from_f16(half)), half) << std::hex << bits;
  }
}

TEST(F16, betweenAnyTwoNeighbours_roundsToNearestEven) {
  for (std::uint32_t bits = 0; bits < 0x7bffU; ++bits) {
    const auto below = static_cast<std::uint16_t>(bits);
    const auto above = static_cast<std::uint16_t>(bits + 1);
    const auto middle = static_cast<float>((f16_meaning(below) + f16_meaning(above)) / 2);
    ASSERT_EQ(f16_from_f32(middle), bits % 2 == 0 ? below : above) << std::hex << bits;
    ASSERT_EQ(f16_from_f32(std::nextafter(middle, 0.0F)), below) << std::hex << bits;
    ASSERT_EQ(f16_from_f32(std::nextafter(middle, kInfinity)), above) << std::hex << bits;
    ASSERT_EQ(f16_from_f32(-middle), 0x8000U | f16_from_f32(middle)) << std::hex << bits;
  }
}

TEST(F16, pastTheLargest_roundsToInfinityFromHalfAStepOn) {
  EXPECT_EQ(f16_from_f32(std::nextafter(65520.0F, 0.0F)), 0x7bffU);
  EXPECT_EQ(f16_from_f32(65520.0F), 0x7c00U);
  EXPECT_EQ(f16_from_f32(3e38F), 0x7c00U);
  EXPECT_EQ(f16_from_f32(-kInfinity), 0xfc00U);
  EXPECT_EQ(f32_from_f16(0x7c00U), kInfinity);
  EXPECT_EQ(f32_from_f16(0xfc00U), -kInfinity);
}

TEST(F16, nan_staysNanWithItsSign) {
  for (const std::uint32_t bits : {0x7f800001U, 0x7fc00000U, 0xff800001U, 0xffffffffU}) {
    const std::uint16_t half = f16_from_f32(std::bit_cast<float>(bits));
    EXPECT_EQ(half & 0x7e00U, 0x7e00U) << std::hex << bits;
    EXPECT_EQ(half >> 15, bits >> 31) << std::hex << bits;
    EXPECT_TRUE(std::isnan(f32_from_f16(half))) << std::hex << bits;
  }
  EXPECT_EQ(std::bit_cast<std::uint32_t>(f32_from_f16(0xfc01U)), 0xffc02000U);
}

}  // namespace
}  // namespace rondo
