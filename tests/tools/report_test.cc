#include "tools/rondo/bench/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace rondo::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

BenchResult some_result(bool in_place) {
  BenchResult result;
  result.bytes = 4096;
  result.count = 1024;
  result.ranks = 2;
  result.transport = "shm";
  result.algorithm = "ring";
  result.buffers = "malloc";
  result.in_place = in_place;
  result.p50_us = in_place ? 2.0 : 4.0;
  result.p99_us = 8.5;
  result.mean_us = 5;
  result.least_us = 1.5;
  result.most_us = 9;
  result.cv_percent = 3;
  result.wrong = 0;
  return result;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(TableLine, BothForms_HaveTheColumnsOfNcclTestsThenOurs) {
  EXPECT_THAT(words_of(table_line({some_result(false), some_result(true)})),
              ElementsAre("4096", "1024", "float", "sum", "-1", "4.00", "1.02", "1.02", "0", "2.00",
                          "2.05", "2.05", "0", "4.00", "8.50", "3.0", "2.00", "8.50", "3.0", "ring",
                          "shm", "malloc"));
}

TEST(TableLine, OneFormAlone_HasItsNumbersInBothHalvesAndNoneInOurColumns) {
  BenchResult result = some_result(true);
  result.operation = Collective::kBroadcast;
  result.root = 1;
  EXPECT_THAT(words_of(table_line({std::nullopt, result})),
              ElementsAre("4096", "1024", "float", "none", "1", "2.00", "2.05", "2.05", "0", "2.00",
                          "2.05", "2.05", "0", "N/A", "N/A", "N/A", "2.00", "8.50", "3.0", "ring",
                          "shm", "malloc"));
  result = some_result(false);
  result.operation = Collective::kAllToAll;
  EXPECT_THAT(words_of(table_line({result, std::nullopt}, {.per_iteration = true})),
              ElementsAre("4096", "1024", "float", "none", "-1",                          //
                          "4.00", "1.02", "0.51", "0", "1.50", "9.00", "8.50", "3.00",    //
                          "4.00", "1.02", "0.51", "N/A", "1.50", "9.00", "8.50", "3.00",  //
                          "4.00", "8.50", "3.0", "N/A", "N/A", "N/A", "ring", "shm", "malloc"));
}

TEST(TableLine, NoCheck_IsNotAvailable) {
  BenchResult result = some_result(true);
  result.wrong.reset();
  const std::vector<std::string> words = words_of(table_line({result, result}));
  EXPECT_EQ(words[8], "N/A");
  EXPECT_EQ(words[12], "N/A");
}

TEST(TableLine, PerIteration_HasItsColumnsWhereNcclTestsHasThem) {
  const BenchRow row{some_result(false), some_result(true), "2026-11-23 16:05:00"};
  EXPECT_THAT(
      words_of(table_line(row, {.per_iteration = true, .timestamps = true})),
      ElementsAre("4096", "1024", "float", "sum", "-1",                                    //
                  "4.00", "1.02", "1.02", "0", "1.50", "9.00", "8.50", "3.00",             //
                  "2.00", "2.05", "2.05", "0", "1.50", "9.00", "8.50", "3.00",             //
                  "2026-11-23", "16:05:00", "4.00", "8.50", "3.0", "2.00", "8.50", "3.0",  //
                  "ring", "shm", "malloc"));
}

TEST(TableLine, Overlap_ComesBehindTheSpread) {
  BenchResult result = some_result(false);
  result.overlap = Overlap{8, 10, 12};
  const std::vector<std::string> words =
      words_of(table_line({result, some_result(true)}, {.overlap = true}));
  const std::vector<std::string> own(words.begin() + 19, words.end());
  EXPECT_THAT(own, ElementsAre("12.00", "10.00", "8.00", "75.0", "N/A", "N/A", "N/A", "N/A", "ring",
                               "shm", "malloc"));
}

TEST(TableLine, Predicted_ComesBehindTheOverlap_OrIsNotAvailable) {
  BenchResult result = some_result(false);
  result.predicted_us = 3.257;
  const auto own = [](const BenchRow& row) {
    const std::vector<std::string> words =
        words_of(table_line(row, {.overlap = true, .predicted = true}));
    return std::vector<std::string>(words.begin() + 27, words.end());
  };
  EXPECT_THAT(own({result, some_result(true)}), ElementsAre("3.26", "ring", "shm", "malloc"));
  EXPECT_THAT(own({some_result(false), some_result(true)}),
              ElementsAre("N/A", "ring", "shm", "malloc"));
}

/// The words of the header's second line, which name the columns.
std::vector<std::string> column_names(const TableStyle& style) {
  std::istringstream lines(table_header(style));
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  return words_of(line.substr(1));
}

TEST(TableHeader, Names_AreThoseOfNcclTestsThenOurs) {
  const std::vector<std::string> names = column_names({});
  EXPECT_EQ(std::vector<std::string>(names.begin(), names.begin() + 13),
            (std::vector<std::string>{"size", "count", "type", "redop", "root", "time", "algbw",
                                      "busbw", "#wrong", "time", "algbw", "busbw", "#wrong"}));
  const std::vector<std::string> more = column_names({.per_iteration = true});
  EXPECT_EQ(std::vector<std::string>(more.begin() + 5, more.begin() + 21),
            (std::vector<std::string>{"time", "algbw", "busbw", "#wrong", "i_min", "i_max", "i_p99",
                                      "i_cv%", "time", "algbw", "busbw", "#wrong", "i_min", "i_max",
                                      "i_p99", "i_cv%"}));
}

TEST(TableHeader, EveryStyle_HasANameForEveryColumn) {
  const BenchRow row{some_result(false), some_result(true), "now"};
  for (int bits = 0; bits < 16; ++bits) {
    const TableStyle style{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    EXPECT_EQ(column_names(style).size(), words_of(table_line(row, style)).size()) << bits;
  }
}

TEST(TableHeader, EveryLine_IsAComment) {
  std::istringstream lines(table_header());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_THAT(line, StartsWith("#"));
  EXPECT_EQ(count, 3);
  EXPECT_THAT(table_header(), HasSubstr("size"));
}

TEST(TableFooter, AllRight_SaysOkAndTheMean) {
  EXPECT_EQ(table_footer({{some_result(false), some_result(true)}}),
            "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 1.536\n#\n");
}

TEST(TableFooter, WrongValues_SaysHowMany) {
  BenchResult bad = some_result(true);
  bad.wrong = 3;
  const std::vector<BenchRow> rows = {{some_result(false), bad}, {bad, std::nullopt}};
  EXPECT_EQ(total_wrong(rows), 6U);
  EXPECT_THAT(table_footer(rows), HasSubstr("# Out of bounds values : 6 FAILED\n"));
}

TEST(ToJson, Results_CarryEveryField) {
  BenchResult unchecked = some_result(false);
  unchecked.wrong.reset();
  unchecked.operation = Collective::kAllGather;
  const auto json = to_json({{"host", "a"}}, {{unchecked, some_result(true)}});
  EXPECT_EQ(json["environment"]["host"], "a");
  ASSERT_EQ(json["results"].size(), 2U);
  EXPECT_EQ(json["results"][0]["collective"], "all_gather");
  EXPECT_EQ(json["results"][0]["redop"], "none");
  EXPECT_TRUE(json["results"][0]["wrong"].is_null());
  const auto& last = json["results"][1];
  EXPECT_EQ(last.dump(),
            R"({"collective":"all_reduce","bytes":4096,"count":1024,"type":"f32","redop":"sum",)"
            R"("root":-1,"ranks":2,"transport":"shm","algorithm":"ring","wire_format":"none",)"
            R"("buffers":"malloc","in_place":true,"cycle":0,"p50_us":2.0,"p99_us":8.5,)"
            R"("mean_us":5.0,"min_us":1.5,"max_us":9.0,"cv_percent":3.0,)"
            R"("algbw_gbps":2.048,"busbw_gbps":2.048,"wrong":0})");
  BenchResult predicted = some_result(true);
  predicted.predicted_us = 3.5;
  predicted.time_of = TimeOf::kMean;
  const auto more = to_json({}, {{predicted, std::nullopt}})["results"][0];
  EXPECT_EQ(more["predicted_us"], 3.5);
  EXPECT_EQ(more["time_of"], "mean of the ranks");
}

}  // namespace
}  // namespace rondo::tool
