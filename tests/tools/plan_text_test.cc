// Bytes and times in words, and the lines of `rondo plan --crossovers`.

#include "tools/rondo/plan/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/amounts.h"

namespace rondo::tool {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

/// The ring takes 20 us, the tree 30; `chosen` runs.
PlanReport report_of(const std::string& chosen) {
  PlanReport report{.ranks = 4, .hosts = 4, .algorithm = chosen};
  report.candidates = {{.name = "ring", .summary = "", .predicted_us = 20},
                       {.name = "tree", .summary = "", .predicted_us = 30}};
  return report;
}

TEST(PlanText, Crossovers_HaveWhatTheChoiceCosts) {
  EXPECT_THAT(crossover_line(65536, report_of("tree")),
              MatchesRegex(" +64 KiB  tree +1\\.50x  ring +20 us  tree +1\\.50x\n"));
  EXPECT_THAT(crossover_line(65536, report_of("ring")),
              MatchesRegex(" +64 KiB  ring +1\\.00x  ring +20 us  tree +1\\.50x\n"));
}

TEST(PlanText, Crossovers_StandUnderTheirHeadings) {
  const std::string heading = crossover_heading();
  const std::string line = crossover_line(65536, report_of("tree"));
  EXPECT_EQ(line.size(), heading.size());
  EXPECT_EQ(line.find("tree"), heading.find("chosen"));
  EXPECT_EQ(line.find("1.50x") + 5, heading.find("ratio") + 5);
  EXPECT_EQ(line.find("ring"), heading.find("fastest predicted"));
  EXPECT_EQ(line.find("20 us") + 5, heading.find("time") + 4);
  EXPECT_EQ(line.rfind("tree"), heading.find("next"));
}

TEST(PlanText, Crossovers_OfWhatCouldntBeSimulatedOrTakesNoTime) {
  PlanReport report = report_of("tree");
  report.candidates[1].left_out = "too large";
  EXPECT_THAT(crossover_line(8, report), MatchesRegex(" +8 B  tree +-  ring +20 us\n"));
  report.candidates[0].left_out = "too large";
  EXPECT_THAT(crossover_line(8, report), MatchesRegex(" +8 B  tree +too large to simulate\n"));
  report = report_of("tree");
  for (PlannedAlgorithm& each : report.candidates) each.predicted_us = 0;
  EXPECT_THAT(crossover_line(8, report),
              MatchesRegex(" +8 B  tree +1\\.00x  ring +0 us  tree +1\\.00x\n"));
}

/// Of a network that the formula doesn't know.
TEST(PlanText, Crossovers_WhereFormulaAndSimulationDisagree_HaveBoth) {
  PlanQuestion question{.bytes = 8 << 10};
  question.network = R"({"hosts": [{"count": 4, "ranks": 1, "up_gbit_s": 0.1}]})";
  const PlanReport report = explain_plan(question);
  ASSERT_NE(report.algorithm, report.candidates.front().name);
  EXPECT_THAT(crossover_line(question.bytes, report),
              MatchesRegex(" +8 KiB  " + report.algorithm + " +1\\.[1-9][0-9]x  " +
                           report.candidates.front().name + " .*1\\.00x\n"));
}

TEST(PlanText, ThePlanSaysOneRankAndOneHost) {
  PlanQuestion question{.bytes = 1 << 20, .hosts = 1, .ranks_per_host = 1};
  EXPECT_THAT(plan_text(question, explain_plan(question), 1),
              StartsWith("all_reduce of 1 MiB, 1 rank on 1 host\nchosen: "));
  question.ranks_per_host = 3;
  EXPECT_THAT(plan_text(question, explain_plan(question), 1),
              HasSubstr("all_reduce of 1 MiB, 3 ranks on 1 host\n"));
}

TEST(PlanText, BytesAreInTheLargestUnitThatHoldsThem) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1000), "1000 B");
  EXPECT_EQ(bytes_text(1024), "1 KiB");
  EXPECT_EQ(bytes_text(1'000'000), "976.6 KiB");
  EXPECT_EQ(bytes_text(64 << 20), "64 MiB");
  EXPECT_EQ(bytes_text(std::uint64_t{1} << 40), "1 TiB");
}

TEST(PlanText, TimesAreWrittenOutInTheUnitThatHoldsThem) {
  EXPECT_EQ(time_text(0), "0 us");
  EXPECT_EQ(time_text(3.254), "3.25 us");
  EXPECT_EQ(time_text(999.4), "999 us");
  EXPECT_EQ(time_text(999.6), "1 ms");
  EXPECT_EQ(time_text(61'110), "61.1 ms");
  EXPECT_EQ(time_text(999'600), "0.9996 s");
  EXPECT_EQ(time_text(1'234'567), "1.235 s");
  EXPECT_EQ(time_text(5e10), "50000 s");
}

}  // namespace
}  // namespace rondo::tool
