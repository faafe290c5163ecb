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
  result.wrong = 0;
  return result;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(TableLine, BothForms_HaveTheColumnsOfNcclTestsThenOurs) {
  EXPECT_THAT(
      words_of(table_line({some_result(false), some_result(true)})),
      ElementsAre("4096", "1024", "f32", "sum", "-1", "4.00", "1.02", "1.02", "0", "2.00", "2.05",
                  "2.05", "0", "4.00", "8.50", "2.00", "8.50", "ring", "shm", "malloc"));
}

TEST(TableLine, FormOrCheckMissing_IsNotAvailable) {
  BenchResult result = some_result(true);
  result.collective = Collective::kBroadcast;
  result.root = 1;
  result.wrong.reset();
  EXPECT_THAT(
      words_of(table_line({std::nullopt, result})),
      ElementsAre("4096", "1024", "f32", "none", "1", "N/A", "N/A", "N/A", "N/A", "2.00", "2.05",
                  "2.05", "N/A", "N/A", "N/A", "2.00", "8.50", "ring", "shm", "malloc"));
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
  unchecked.collective = Collective::kAllGather;
  const auto json = to_json({{"host", "a"}}, {{unchecked, some_result(true)}});
  EXPECT_EQ(json["environment"]["host"], "a");
  ASSERT_EQ(json["results"].size(), 2U);
  EXPECT_EQ(json["results"][0]["collective"], "all_gather");
  EXPECT_EQ(json["results"][0]["redop"], "none");
  EXPECT_TRUE(json["results"][0]["wrong"].is_null());
  const auto& last = json["results"][1];
  EXPECT_EQ(last.dump(),
            R"({"collective":"all_reduce","bytes":4096,"count":1024,"type":"f32","redop":"sum",)"
            R"("ranks":2,"transport":"shm","algorithm":"ring","wire_format":"none",)"
            R"("buffers":"malloc","in_place":true,)"
            R"("p50_us":2.0,"p99_us":8.5,"algbw_gbps":2.048,"busbw_gbps":2.048,"wrong":0})");
}

}  // namespace
}  // namespace rondo::tool
