#include "tools/rondo/nearest_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::tool {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NearestWords, OneMistakeInThreeLetters_IsFound) {
  const std::vector<std::string> known = {"bench", "info", "run", "verify"};
  EXPECT_THAT(nearest_words("bnech", known), ElementsAre("bench")) << "exchanged";
  EXPECT_THAT(nearest_words("benhc", known), ElementsAre("bench"));
  EXPECT_THAT(nearest_words("rum", known), ElementsAre("run")) << "wrong";
  EXPECT_THAT(nearest_words("infos", known), ElementsAre("info")) << "too many";
  EXPECT_THAT(nearest_words("vrfy", known), IsEmpty()) << "two mistakes in four letters";
  EXPECT_THAT(nearest_words("verfiy", known), ElementsAre("verify"));
  EXPECT_THAT(nearest_words("train", known), IsEmpty());
}

TEST(NearestWords, Dashes_DontCount) {
  EXPECT_THAT(nearest_words("--n", {"-n", "--no-prefix"}), ElementsAre("-n"));
  EXPECT_THAT(nearest_words("-local", {"--local"}), ElementsAre("--local"));
  EXPECT_THAT(nearest_words("help", {"-h", "--help"}), ElementsAre("--help"));
}

TEST(NearestWords, Start_IsEnoughFromThreeLettersOn) {
  EXPECT_THAT(nearest_words("--tra", {"--transport", "--timeout"}), ElementsAre("--transport"));
  EXPECT_THAT(nearest_words("--t", {"--transport", "--timeout"}), IsEmpty());
}

TEST(NearestWords, Several_TheNearestComesFirst) {
  EXPECT_THAT(nearest_words("abcdef", {"abcxyf", "abcdef_", "abcdeg"}),
              ElementsAre("abcdef_", "abcdeg", "abcxyf"));
}

TEST(NearestWords, Nothing_IsNearNothing) {
  EXPECT_THAT(nearest_words("", {"bench", ""}), ElementsAre(""));
  EXPECT_THAT(nearest_words("--", {"bench"}), IsEmpty());
}

}  // namespace
}  // namespace rondo::tool
