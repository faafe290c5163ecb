#include "nn/data/digits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "tests/nn/data/data_files.h"

namespace rondo::nn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string error_of_text(const std::string& text, std::size_t count = 3) {
  return parse_digits(text, "digits.csv.gz", count).status().to_string();
}

/// A set of `labels` whose image i is filled with i % 17.
ImageSet set_of(std::vector<std::int64_t> labels) {
  ImageSet set;
  set.height = 8;
  set.width = 8;
  set.classes = 10;
  set.pixel_max = 16;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    set.pixels.insert(set.pixels.end(), 64, static_cast<std::uint8_t>(i % 17));
  }
  set.labels = std::move(labels);
  return set;
}

TEST(Digits, Parse_GoodText_GivesEveryPixelAndLabel) {
  const Result<ImageSet> set = parse_digits(digits_text(20), "digits.csv.gz", 20);
  ASSERT_TRUE(set.ok()) << set.status().to_string();
  EXPECT_EQ(set->count(), 20U);
  EXPECT_EQ(set->image_pixels(), 64U);
  EXPECT_EQ(set->pixels.size(), 20U * 64U);
  for (std::size_t i = 0; i < set->pixels.size(); ++i) {
    ASSERT_EQ(set->pixels[i], (i / 64 + i % 64) % 17);
  }
  EXPECT_EQ(set->labels[13], 3);
}

TEST(Digits, Parse_LastLineWithoutNewline_IsFine) {
  std::string text = digits_text(3);
  text.pop_back();
  EXPECT_TRUE(parse_digits(text, "digits.csv.gz", 3).ok());
}

TEST(Digits, Parse_DamagedFields_NameLineColumnExpectedAndFound) {
  const std::string good = digits_text(3);
  EXPECT_EQ(error_of_text(replaced(good, "\n1,2,3", "\n1,17,3")),
            "DataLoss: digits.csv.gz, line 2: column 2: a pixel of 0..16 expected, found '17'");
  EXPECT_THAT(error_of_text(replaced(good, "\n2,3,", "\n2,x,")), HasSubstr("found 'x'"));
  EXPECT_THAT(error_of_text(replaced(good, "\n2,3,", "\n2,3.5,")), HasSubstr("found '3.5'"));
  EXPECT_THAT(error_of_text(replaced(good, "\n2,3,", "\n2,,")), HasSubstr("found ''"));
  EXPECT_THAT(error_of_text(replaced(good, "\n2,3,", "\n2,-3,")), HasSubstr("found '-3'"));
  EXPECT_THAT(error_of_text(replaced(good, "\n2,3,", "\n2, 3,")), HasSubstr("found ' 3'"));
  EXPECT_THAT(error_of_text(replaced(good, ",2\n", ",10\n")),
              HasSubstr("line 3: column 65: a label of 0..9 expected, found '10'"));
  EXPECT_THAT(error_of_text(replaced(good, ",2\n", ",2\r\n")), HasSubstr("found '2\r'"));
}

TEST(Digits, Parse_WrongNumberOfFields_SaysHowMany) {
  const std::string good = digits_text(3);
  EXPECT_THAT(error_of_text(replaced(good, "\n1,2,3,", "\n1,2,")),
              HasSubstr("line 2: 65 fields expected (pixels and a label), found 64"));
  EXPECT_THAT(error_of_text(replaced(good, "\n1,2,", "\n1,1,2,")), HasSubstr("found 66"));
  EXPECT_THAT(error_of_text(good + "\n"), HasSubstr("line 4: 65 fields"));
}

TEST(Digits, Parse_WrongNumberOfLines_SaysHowMany) {
  EXPECT_THAT(error_of_text(digits_text(2)), HasSubstr("3 images expected, found 2"));
  EXPECT_THAT(error_of_text(digits_text(4)), HasSubstr("3 images expected, found 4"));
  EXPECT_THAT(error_of_text(""), HasSubstr("3 images expected, found 0"));
}

TEST(Digits, HoldOutFifth_EveryClass_GivesAFifthOfItWithinOne) {
  // Class sizes 1, 4, 5, 6, 9, 10, 11, ...: all remainders of 5, in mixed order.
  std::vector<std::int64_t> labels;
  const std::array<int, 10> sizes = {1, 4, 5, 6, 9, 10, 11, 178, 182, 183};
  for (int round = 0; round < 183; ++round) {
    for (std::size_t label = 0; label < sizes.size(); ++label) {
      if (round < sizes[label]) labels.push_back(static_cast<std::int64_t>(label));
    }
  }
  const TrainTest split = hold_out_fifth(set_of(labels));
  EXPECT_EQ(split.train->count() + split.held_out->count(), labels.size());
  for (std::size_t label = 0; label < sizes.size(); ++label) {
    const auto value = static_cast<std::int64_t>(label);
    const auto held_out =
        std::count(split.held_out->labels.begin(), split.held_out->labels.end(), value);
    const auto train = std::count(split.train->labels.begin(), split.train->labels.end(), value);
    EXPECT_EQ(held_out + train, sizes[label]);
    EXPECT_LT(std::abs(static_cast<double>(held_out) - sizes[label] / 5.0), 1.0) << label;
  }
}

TEST(Digits, HoldOutFifth_OneClass_TakesTheFifthOfEachFive) {
  const TrainTest split = hold_out_fifth(set_of(std::vector<std::int64_t>(12, 3)));
  const auto first_pixels = [](const ImageSet& set) {
    std::vector<int> all;
    for (std::size_t i = 0; i < set.pixels.size(); i += 64) all.push_back(set.pixels[i]);
    return all;
  };
  EXPECT_THAT(first_pixels(*split.held_out), ElementsAre(4, 9));
  EXPECT_THAT(first_pixels(*split.train), ElementsAre(0, 1, 2, 3, 5, 6, 7, 8, 10, 11));
  EXPECT_EQ(split.train->pixel_max, 16);
  EXPECT_EQ(split.held_out->classes, 10);
}

TEST(Digits, Load_WholeFile_GivesBothParts) {
  const TemporaryFolder folder;
  write_gzip(folder.file("digits.csv.gz"), digits_text(1797));
  const TrainTest set = load_digits(folder.file("digits.csv.gz"));
  EXPECT_EQ(set.train->count() + set.held_out->count(), 1797U);
  EXPECT_EQ(set.held_out->count(), 7U * 36U + 3U * 35U);
}

TEST(Digits, Load_OneLineTooFew_IsDataLoss) {
  const TemporaryFolder folder;
  write_gzip(folder.file("digits.csv.gz"), digits_text(1796));
  EXPECT_THAT(error_of([&] { load_digits(folder.file("digits.csv.gz")); }),
              HasSubstr("digits.csv.gz: 1797 images expected, found 1796"));
}

}  // namespace
}  // namespace rondo::nn
