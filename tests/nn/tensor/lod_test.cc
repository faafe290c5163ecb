#include "nn/tensor/lod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::nn {
namespace {

const Dims kSixRows = {6, 2};

TEST(CheckLod, NestedLevelsWithAnEmptySequenceAreLegal) {
  EXPECT_TRUE(check_lod({{0, 2, 3}, {0, 4, 4, 6}}, kSixRows).ok());
}

TEST(CheckLod, EveryBrokenRuleIsAnError) {
  EXPECT_FALSE(check_lod({{0}}, kSixRows).ok());
  EXPECT_FALSE(check_lod({{1, 6}}, kSixRows).ok());
  EXPECT_FALSE(check_lod({{0, 4, 3, 6}}, kSixRows).ok());
  EXPECT_FALSE(check_lod({{0, 5}}, kSixRows).ok());
  EXPECT_FALSE(check_lod({{0, 3}, {0, 2, 6}}, kSixRows).ok());
}

TEST(CheckLod, ErrorSaysWhereItShouldEnd) {
  EXPECT_THAT(check_lod({{0, 5}}, kSixRows).message(),
              testing::HasSubstr("level 0 ends at 5, expected 6"));
}

}  // namespace
}  // namespace rondo::nn
