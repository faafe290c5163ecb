#include "tools/rondo/bench/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tools/rondo/bench/names.h"

namespace rondo::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseSize, PlainAndSuffixed_AreBytes) {
  EXPECT_EQ(parse_size("-b", "0"), 0U);
  EXPECT_EQ(parse_size("-b", "8"), 8U);
  EXPECT_EQ(parse_size("-b", "3K"), 3072U);
  EXPECT_EQ(parse_size("-b", "5m"), 5U << 20);
  EXPECT_EQ(parse_size("-b", "2G"), 2ULL << 30);
}

TEST(ParseSize, AsNcclTestsTakesThem_FractionsAndUnitsAreBytes) {
  EXPECT_EQ(parse_size("-b", "0.5G"), 512U << 20);
  EXPECT_EQ(parse_size("-b", "1.5K"), 1536U);
  EXPECT_EQ(parse_size("-b", "0.3K"), 307U) << "rounded down";
  EXPECT_EQ(parse_size("-e", "128MB"), 128U << 20);
  EXPECT_EQ(parse_size("-e", "1GiB"), 1U << 30);
  EXPECT_EQ(parse_size("-e", "8kb"), 8192U);
  EXPECT_EQ(parse_size("-e", "18446744073709551615"), ~0ULL) << "whole numbers are exact";
}

TEST(ParseSize, Malformed_NamesFlagAndText) {
  for (const std::string text : {"", "K", ".", "1.5.5M", "-1", "8KBB", "8B", "8 K", "0x10", "inf",
                                 "99999999999999G", "18446744073709551616"}) {
    try {
      parse_size("-e", text);
      ADD_FAILURE() << "'" << text << "' was taken";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("-e: '" + text + "'"));
    }
  }
}

TEST(SizesOf, Factor_GoesUpToTheLast) {
  EXPECT_THAT(sizes_of({8, 64, 2, 0}), ElementsAre(8U, 16U, 32U, 64U));
  EXPECT_THAT(sizes_of({8, 63, 2, 0}), ElementsAre(8U, 16U, 32U));
  EXPECT_THAT(sizes_of({8, 8, 4, 0}), ElementsAre(8U));
  EXPECT_THAT(sizes_of({0, 2, 2, 0}), ElementsAre(0U, 1U, 2U));
}

TEST(SizesOf, Step_Adds) {
  EXPECT_THAT(sizes_of({10, 25, 2, 5}), ElementsAre(10U, 15U, 20U, 25U));
  EXPECT_THAT(sizes_of({10, 24, 2, 5}), ElementsAre(10U, 15U, 20U));
}

TEST(SizesOf, EndOfTheRangeOfIntegers_DoesNotOverflow) {
  constexpr std::uint64_t kMost = ~0ULL;
  EXPECT_THAT(sizes_of({1ULL << 63, kMost, 2, 0}), ElementsAre(1ULL << 63));
  EXPECT_THAT(sizes_of({kMost - 1, kMost, 2, 5}), ElementsAre(kMost - 1));
}

TEST(SizesOf, ImpossibleRange_IsAUsageError) {
  EXPECT_THROW(sizes_of({16, 8, 2, 0}), UsageError);
  EXPECT_THROW(sizes_of({8, 16, 1, 0}), UsageError);
}

}  // namespace
}  // namespace rondo::tool
