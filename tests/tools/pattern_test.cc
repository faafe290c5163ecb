#include "tools/rondo/bench/pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/dtype.h"
#include "tools/rondo/bench/bench_op.h"
#include "tools/rondo/bench/names.h"

namespace rondo::tool {
namespace {

template <class T>
T element(const Pattern& pattern, std::size_t index) {
  T value{};
  std::memcpy(&value, pattern.bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

TEST(Pattern, RanksPlacesAndCalls_Differ) {
  const auto bytes = [](int rank, std::uint64_t salt) {
    return input_pattern(DataType::kI32, ReduceOp::kSum, rank, 8, salt).bytes;
  };
  EXPECT_NE(bytes(0, 1), bytes(1, 1));
  EXPECT_NE(bytes(0, 1), bytes(0, 2));
  const Pattern pattern = input_pattern(DataType::kI32, ReduceOp::kSum, 0, 8, 1);
  EXPECT_NE(element<std::int32_t>(pattern, 0), element<std::int32_t>(pattern, 1));
}

/// At how many places a and b differ.
std::size_t differing(const Pattern& a, const Pattern& b) {
  std::vector<std::byte> data(a.bytes.size());
  write_pattern(a, data.data(), kPeriod, 0);
  return count_wrong(b, data.data(), kPeriod, 0);
}

void expect_every_two_ranks_differ(DataType type, const BenchOp& op, int world) {
  std::vector<Pattern> inputs;
  for (int rank = 0; rank < world; ++rank) {
    inputs.push_back(input_pattern(type, op, rank, world, 3));
    for (int other = 0; other < rank; ++other) {
      ASSERT_GT(differing(inputs[static_cast<std::size_t>(other)], inputs.back()), kPeriod / 5)
          << to_string(op) << " of " << to_string(type) << ", ranks " << other << " and " << rank;
    }
  }
}

/// Parts that have changed places show, and one that was taken twice in place of another.
TEST(Pattern, EveryTwoRanks_DifferAtManyPlaces) {
  for (const DataType type : all_types()) {
    for (const BenchOp& op : all_bench_ops()) {
      if (is_combined_by(type, op)) expect_every_two_ranks_differ(type, op, 64);
    }
  }
}

TEST(ReducedPattern, NoGroupOfRanks_SumsToNothing) {
  for (int world = 1; world <= 64; ++world) {
    for (const DataType type : {DataType::kI8, DataType::kF32, DataType::kBF16}) {
      const Pattern sum = reduced_pattern(type, ReduceOp::kSum, world, 3);
      const Pattern nothing{type, std::vector<std::byte>(sum.bytes.size())};
      EXPECT_GT(differing(sum, nothing), kPeriod * 4 / 5) << to_string(type) << ", world " << world;
    }
  }
}

TEST(ReducedPattern, ProductsOfManyRanks_AreFloatsAndNotZero) {
  for (const int world : {64, 500}) {
    const Pattern product = reduced_pattern(DataType::kF32, ReduceOp::kProd, world, 3);
    for (std::size_t i = 0; i < kPeriod; ++i) {
      ASSERT_TRUE(std::isnormal(element<float>(product, i))) << "world " << world << ", " << i;
    }
  }
}

TEST(ReducedPattern, SumsProductsAverages_AreExactInFp64) {
  for (const int world : {1, 2, 3, 7, 128, 500}) {
    for (const ReduceOp op : all_ops()) {
      if (!is_combined_by(DataType::kF32, op)) continue;
      const Pattern reduced = reduced_pattern(DataType::kF32, op, world, 9);
      for (std::size_t i = 0; i < kPeriod; i += 37) {
        double want = 0;
        for (int rank = 0; rank < world; ++rank) {
          const double value = element<float>(input_pattern(DataType::kF32, op, rank, world, 9), i);
          if (rank == 0)
            want = value;
          else if (op == ReduceOp::kProd)
            want *= value;
          else if (op == ReduceOp::kMin)
            want = std::min(want, value);
          else if (op == ReduceOp::kMax)
            want = std::max(want, value);
          else
            want += value;
        }
        if (op == ReduceOp::kAvg) want /= world;
        ASSERT_TRUE(std::isfinite(want));
        ASSERT_EQ(element<float>(reduced, i), want) << to_string(op) << ", world " << world;
      }
      if (world > 7) break;  // one op is enough to see that many ranks stay exact
    }
  }
}

TEST(ReducedPattern, PremultipliedSum_IsThatOfExactProducts) {
  for (const int world : {1, 2, 7, 50}) {
    const BenchOp op = BenchOp::mulsum();
    const Pattern reduced = reduced_pattern(DataType::kF32, op, world, 9);
    for (std::size_t i = 0; i < kPeriod; i += 37) {
      float want = 0;
      for (int rank = 0; rank < world; ++rank) {
        const auto factor = static_cast<float>(reduction_of(op, rank).factor());
        EXPECT_NE(factor, 1) << "or nobody would see that it is left out";
        want += factor * element<float>(input_pattern(DataType::kF32, op, rank, world, 9), i);
      }
      ASSERT_EQ(element<float>(reduced, i), want) << "world " << world;
    }
  }
}

TEST(ReducedPattern, NarrowIntegers_WrapAsTheLibraryDoes) {
  const int world = 100;
  const Pattern reduced = reduced_pattern(DataType::kI8, ReduceOp::kSum, world, 3);
  bool wrapped = false;
  for (std::size_t i = 0; i < kPeriod; ++i) {
    int sum = 0;
    for (int rank = 0; rank < world; ++rank) {
      sum += element<std::int8_t>(input_pattern(DataType::kI8, ReduceOp::kSum, rank, world, 3), i);
    }
    wrapped = wrapped || sum > 127 || sum < -128;
    ASSERT_EQ(element<std::int8_t>(reduced, i), static_cast<std::int8_t>(sum));
    if (i > 40) break;
  }
}

/// Element `index` of all ranks, combined one by one from rank `first` on, as rings do it; each
/// step is rounded to 16 bits.
float combined_from(DataType type, ReduceOp op, int world, std::size_t index, int first) {
  const auto widened = [type](std::uint16_t half) {
    return type == DataType::kF16 ? f32_from_f16(half) : f32_from_bf16(half);
  };
  const auto rounded = [&](float value) {
    return widened(type == DataType::kF16 ? f16_from_f32(value) : bf16_from_f32(value));
  };
  float value = 0;
  for (int step = 0; step < world; ++step) {
    const Pattern input = input_pattern(type, op, (first + step) % world, world, 4);
    const float next = widened(element<std::uint16_t>(input, index));
    const bool last = step == world - 1;
    if (step == 0) {
      value = next;
    } else if (op == ReduceOp::kProd) {
      value *= next;
    } else if (op == ReduceOp::kMin || op == ReduceOp::kMax) {
      value = op == ReduceOp::kMin ? std::min(value, next) : std::max(value, next);
    } else {
      value += next;
    }
    if (last && op == ReduceOp::kAvg) value /= static_cast<float>(world);
    value = rounded(value);
  }
  return value;
}

void expect_exact_in_any_order(DataType type, ReduceOp op, int world) {
  const Pattern reduced = reduced_pattern(type, op, world, 4);
  for (const std::size_t index : {0U, 1U, 500U}) {
    for (const int first : {0, 1 % world, world / 2}) {
      const float got = combined_from(type, op, world, index, first);
      ASSERT_TRUE(std::isfinite(got));
      ASSERT_EQ(element<std::uint16_t>(reduced, index),
                type == DataType::kF16 ? f16_from_f32(got) : bf16_from_f32(got))
          << to_string(op) << " of " << to_string(type) << ", world " << world << ", element "
          << index << ", from rank " << first;
    }
  }
}

TEST(ReducedPattern, HalvesInAnyOrder_RoundedAtEveryStep_AreExact) {
  for (const DataType type : {DataType::kF16, DataType::kBF16}) {
    for (const int world : {1, 2, 7, 33, 200}) {
      for (const ReduceOp op : all_ops()) {
        if (is_combined_by(type, op)) expect_exact_in_any_order(type, op, world);
      }
    }
  }
}

TEST(ReducedPattern, HalvesInALargeWorld_EveryRankCountsSomewhere) {
  const int world = 200;
  for (int rank = 0; rank < world; ++rank) {
    const Pattern input = input_pattern(DataType::kBF16, ReduceOp::kSum, rank, world, 4);
    int counts = 0;
    for (std::size_t i = 0; i < kPeriod; ++i) counts += element<std::uint16_t>(input, i) != 0;
    EXPECT_GT(counts, 100) << "rank " << rank;
  }
}

TEST(ReducedPattern, Bits_OfEveryRank_Count) {
  const int world = 5;
  const std::size_t index = 3;
  std::uint8_t every = 0xff, any = 0, odd = 0;
  for (int rank = 0; rank < world; ++rank) {
    const auto value = [&](ReduceOp op) {
      return element<std::uint8_t>(input_pattern(DataType::kU8, op, rank, world, 1), index);
    };
    every &= value(ReduceOp::kBitAnd);
    any |= value(ReduceOp::kBitOr);
    odd ^= value(ReduceOp::kBitXor);
  }
  const auto reduced = [&](ReduceOp op) {
    return element<std::uint8_t>(reduced_pattern(DataType::kU8, op, world, 1), index);
  };
  EXPECT_EQ(reduced(ReduceOp::kBitAnd), every);
  EXPECT_EQ(reduced(ReduceOp::kBitOr), any);
  EXPECT_EQ(reduced(ReduceOp::kBitXor), odd);
}

TEST(WritePattern, AnyStartAndLength_IsFoundRightAgain) {
  const Pattern pattern = input_pattern(DataType::kF64, ReduceOp::kSum, 1, 4, 5);
  for (const std::size_t first : {0UL, 1UL, 1008UL, 1009UL, 5000UL}) {
    for (const std::size_t count : {0UL, 1UL, 1008UL, 1010UL, 3000UL}) {
      std::vector<double> data(count + 1, 99);
      write_pattern(pattern, data.data(), count, first);
      EXPECT_EQ(count_wrong(pattern, data.data(), count, first), 0U);
      EXPECT_EQ(data.back(), 99) << "wrote past the end";
      if (count == 0) continue;
      EXPECT_EQ(data[0], element<double>(pattern, first % kPeriod));
      data[0] += 1;
      data[count / 2] += 1;
      EXPECT_EQ(count_wrong(pattern, data.data(), count, first), count == 1 ? 1U : 2U);
    }
  }
}

TEST(CountWrong, DataInAnotherPlace_Shows) {
  const Pattern pattern = input_pattern(DataType::kF32, ReduceOp::kSum, 0, 2, 1);
  std::vector<float> data(2048);
  write_pattern(pattern, data.data(), data.size(), 0);
  EXPECT_GT(count_wrong(pattern, data.data() + 1024, 1024, 0), 900U);
}

}  // namespace
}  // namespace rondo::tool
