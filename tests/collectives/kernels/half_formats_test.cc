// Every float into 16 bits and every 16 bits into a float, on every instruction set. What must come
// out is worked out from the formats' definition: between two neighbouring 16-bit values lies one
// middle, exact in fp64 and fp32, and all floats from middle to middle are narrowed to one value.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <thread>
#include <vector>

#include "tests/collectives/kernels/flushed_denormals.h"
#include "tests/collectives/kernels/half_conversions.h"
#include "tests/collectives/kernels/reduce_oracle.h"

namespace rondo::kernels {
namespace {

struct Format {
  DataType type;
  int mantissa_bits;
  int bias;
};
constexpr Format kF16{DataType::kF16, 10, 15};
constexpr Format kBf16{DataType::kBF16, 7, 127};

constexpr std::uint32_t kF32Infinity = 0x7f800000U;
constexpr std::uint32_t kF32Sign = 0x80000000U;
constexpr std::uint32_t kHalfSign = 0x8000U;

std::uint32_t infinity_of(const Format& f) { return 0x7fffU >> f.mantissa_bits << f.mantissa_bits; }
std::uint32_t quiet_bit(const Format& f) { return 1U << (f.mantissa_bits - 1); }

/// By the book; infinity is what would come after the largest number.
double meaning(const Format& f, std::uint32_t half) {
  const int exponent = static_cast<int>(half >> f.mantissa_bits);
  const auto mantissa = static_cast<int>(half & ((1U << f.mantissa_bits) - 1));
  const int unit = 1 - f.bias - f.mantissa_bits;
  if (exponent == 0) return std::ldexp(mantissa, unit);
  return std::ldexp((1 << f.mantissa_bits) + mantissa, unit + exponent - 1);
}

/// The float in the middle of `half` and the next one.
std::uint32_t middle_above(const Format& f, std::uint32_t half) {
  const double middle = (meaning(f, half) + meaning(f, half + 1)) / 2;
  EXPECT_EQ(static_cast<double>(static_cast<float>(middle)), middle);
  return std::bit_cast<std::uint32_t>(static_cast<float>(middle));
}

/// Floats of one sign, by their bits, that are narrowed to one value.
struct Interval {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint16_t want = 0;
};

/// All 2^31 floats of plus sign, without a gap: to nearest, a middle to its even side; NaNs keep
/// the payload bits that fit and turn quiet.
std::vector<Interval> intervals_of(const Format& f) {
  std::vector<Interval> list;
  std::uint32_t first = 0;
  const auto add = [&](std::uint32_t last, std::uint32_t want) {
    list.push_back({first, last, static_cast<std::uint16_t>(want)});
    first = last + 1;
  };
  const std::uint32_t infinity = infinity_of(f);
  for (std::uint32_t half = 0; half < infinity; ++half) {
    add(middle_above(f, half) - half % 2, half);
  }
  add(kF32Infinity, infinity);
  const int dropped = 23 - f.mantissa_bits;
  for (std::uint32_t payload = 0; infinity + payload < kHalfSign; ++payload) {
    add(kF32Infinity + ((payload + 1) << dropped) - 1, infinity | payload | quiet_bit(f));
  }
  EXPECT_EQ(first, kF32Sign) << "the intervals don't reach the last NaN";
  return list;
}

using Check = bool (*)(DataType, std::uint32_t, std::uint32_t, std::uint16_t);

void expect_all_right(const Format& f, const std::vector<Interval>& intervals, const Check& check,
                      std::uint32_t sign) {
  const auto half_sign = static_cast<std::uint16_t>(sign >> 16);
  for (const Interval& i : intervals) {
    const auto want = static_cast<std::uint16_t>(i.want | half_sign);
    ASSERT_TRUE(check(f.type, sign | i.first, sign | i.last, want))
        << to_string(f.type) << ": floats " << std::hex << (sign | i.first) << " to "
        << (sign | i.last) << " should become " << want;
  }
}

/// Minus on a thread of its own: there are 2^32 floats.
void expect_both_signs_right(const Format& f, const Check& check) {
  const std::vector<Interval> intervals = intervals_of(f);
  std::thread minus([&] { expect_all_right(f, intervals, check, kF32Sign); });
  expect_all_right(f, intervals, check, 0);
  minus.join();
}

std::uint32_t widened_bits(const Format& f, std::uint32_t half) {
  const std::uint32_t magnitude = half & 0x7fffU;
  const std::uint32_t sign = (half & kHalfSign) << 16;
  const std::uint32_t infinity = infinity_of(f);
  if (magnitude < infinity) {
    return sign | std::bit_cast<std::uint32_t>(static_cast<float>(meaning(f, magnitude)));
  }
  const std::uint32_t payload = (magnitude - infinity) << (23 - f.mantissa_bits);
  // bf16 is cut from a float: its NaNs are taken as they are.
  const bool turns_quiet = f.type == DataType::kF16 && payload != 0;
  return sign | kF32Infinity | payload | (turns_quiet ? 0x400000U : 0U);
}

void expect_all_widened(const Format& f) {
  for (std::uint32_t half = 0; half <= 0xffffU; ++half) {
    ASSERT_TRUE(widens_to(f.type, static_cast<std::uint16_t>(half), widened_bits(f, half)))
        << to_string(f.type) << ' ' << std::hex << half;
  }
}

class HalfFormats : public testing::TestWithParam<Format> {};

TEST_P(HalfFormats, AllFloats_NarrowedByVectors_RoundToNearestEven) {
  for_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    expect_both_signs_right(GetParam(), &all_narrow_to);
  });
}

TEST_P(HalfFormats, AllFloats_NarrowedByScalars_RoundToNearestEven) {
  expect_both_signs_right(GetParam(), &all_narrow_to_by_scalars);
}

TEST_P(HalfFormats, AllElements_Widened_AreExact) {
  for_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    expect_all_widened(GetParam());
  });
}

/// The intervals again, cut to the denormal floats.
std::vector<Interval> denormals_of(const Format& f) {
  constexpr std::uint32_t kLargestDenormal = 0x7fffffU;
  std::vector<Interval> list = intervals_of(f);
  std::erase_if(list, [](const Interval& i) { return i.first > kLargestDenormal; });
  list.back().last = kLargestDenormal;
  return list;
}

TEST_P(HalfFormats, Denormals_WhereTheProcessorFlushesThem_AreTheSame) {
  const Format& f = GetParam();
  const std::vector<Interval> denormals = denormals_of(f);
  std::vector<std::uint32_t> widened(std::size_t{1} << f.mantissa_bits);
  for (std::uint32_t half = 0; half < widened.size(); ++half) widened[half] = widened_bits(f, half);
  for_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    const FlushedDenormals flushed;
    for (const std::uint32_t sign : {0U, kF32Sign}) {
      expect_all_right(f, denormals, &all_narrow_to, sign);
      expect_all_right(f, denormals, &all_narrow_to_by_scalars, sign);
    }
    for (std::uint32_t half = 0; half < widened.size(); ++half) {
      ASSERT_TRUE(widens_to(f.type, static_cast<std::uint16_t>(half), widened[half]))
          << to_string(f.type) << ' ' << std::hex << half;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Formats, HalfFormats, testing::Values(kF16, kBf16),
                         [](const auto& one) { return std::string(to_string(one.param.type)); });

}  // namespace
}  // namespace rondo::kernels
