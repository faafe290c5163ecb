// The lines of `rondo tune --check`, of measurements that are made up.

#include "tools/rondo/tune/tune_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::tool {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// The tree was chosen, 30 us by a prediction of 24; the ring takes 20 and was said to take 25.
MeasuredChoice a_bad_choice() {
  MeasuredChoice choice;
  choice.collective = Collective::kAllReduce;
  choice.bytes = 65536;
  choice.chosen = "tree";
  choice.fastest = "ring";
  choice.algorithms = {{.name = "ring", .us = 20, .predicted_us = 25, .other_half_us = 21},
                       {.name = "tree", .us = 30, .predicted_us = 24, .other_half_us = 36}};
  return choice;
}

MeasuredChoice a_good_choice() {
  MeasuredChoice choice = a_bad_choice();
  choice.chosen = "ring";
  return choice;
}

TEST(TuneText, Line_SaysWhatTheChoiceCosts) {
  EXPECT_THAT(choice_line(a_bad_choice()),
              MatchesRegex("all_reduce +64 KiB +tree +30 us +24 us +-20% +ring +20 us +1\\.50\n"));
  EXPECT_THAT(choice_line(a_good_choice()),
              MatchesRegex("all_reduce +64 KiB +ring +20 us +25 us +25% +ring +20 us +1\\.00\n"));
}

TEST(TuneText, Summary_CountsGoodChoicesAndErrors) {
  const std::string text = choice_summary({a_good_choice(), a_bad_choice(), a_good_choice()});
  EXPECT_THAT(text, HasSubstr("choices within 10% of the fastest: 2 of 3; the worst takes 1.50"));
  EXPECT_THAT(text, HasSubstr("median error of predictions: 25% of those chosen, 22% of all 6"));
  EXPECT_THAT(text, HasSubstr("12% apart in the median, more than 10% for 3 of 6"));
}

TEST(TuneText, AChoiceATenthSlower_IsGood) {
  MeasuredChoice choice = a_bad_choice();
  choice.algorithms[1].us = 22;
  EXPECT_THAT(choice_summary({choice}), HasSubstr("fastest: 1 of 1; the worst takes 1.10"));
  choice.algorithms[1].us = 22.2;
  EXPECT_THAT(choice_summary({choice}), HasSubstr("fastest: 0 of 1; the worst takes 1.11"));
}

TEST(TuneText, ASecondLook_SaysWhatIsSoAgain) {
  EXPECT_EQ(second_look_summary({a_good_choice(), a_bad_choice(), a_good_choice()}),
            "of the 3 beyond 10%, measured once more, 1 is so again; the worst takes 1.50 times as "
            "long\n");
  EXPECT_THAT(second_look_summary({a_good_choice()}), HasSubstr("0 are so again"));
}

}  // namespace
}  // namespace rondo::tool
