// What a drawing says in words: its title, and the marks of its axis.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "rondo/plan.h"

namespace rondo {
namespace {

using testing::ElementsAre;
using testing::MatchesRegex;

/// All texts of a drawing: the title first, then the ranks' names and the marks.
std::vector<std::string> texts_of(const std::string& svg) {
  const std::regex text("<text[^>]*>([^<]*)</text>");
  std::vector<std::string> texts;
  for (std::sregex_iterator each(svg.begin(), svg.end(), text), end; each != end; ++each)
    texts.push_back((*each)[1]);
  return texts;
}

std::string title_of(const PlanQuestion& question) { return texts_of(draw_plan(question)).at(0); }

std::vector<std::string> marks_of(const PlanQuestion& question) {
  std::vector<std::string> marks;
  for (const std::string& text : texts_of(draw_plan(question)))
    if (std::regex_match(text, std::regex("[0-9.e+-]+ [a-z]+"))) marks.push_back(text);
  return marks;
}

TEST(Drawing, TitleHasBytesAndTimesAsTheCommandTellsThem) {
  EXPECT_THAT(title_of({.bytes = 64 << 20, .hosts = 2, .ranks_per_host = 4}),
              MatchesRegex("all_reduce by hierarchical: 64 MiB, 8 ranks on 2 hosts, "
                           "[1-9][0-9]*\\.?[0-9]* ms predicted"));
  EXPECT_THAT(title_of({.bytes = 1000, .hosts = 2, .ranks_per_host = 1, .algorithm = "ring"}),
              MatchesRegex("all_reduce by ring: 1000 B, 2 ranks on 2 hosts, [0-9.]+ us predicted"));
}

TEST(Drawing, TitleCountsOneHostAndOneRankAsOne) {
  EXPECT_THAT(title_of({.bytes = 1 << 20, .ranks_per_host = 3}),
              MatchesRegex("all_reduce by [a-z_]+: 1 MiB, 3 ranks on 1 host, .*"));
  EXPECT_THAT(title_of({.bytes = 1 << 20, .ranks_per_host = 1}),
              MatchesRegex("all_reduce by [a-z_]+: 1 MiB, 1 rank on 1 host, .*"));
}

/// Two hosts whose link passes `gbit_s`; for the halves of a ring of two that is all that counts.
PlanQuestion ring_over(const char* gbit_s, std::size_t bytes) {
  PlanQuestion question{.bytes = bytes, .algorithm = "ring"};
  question.network = std::string(R"({"hosts": [{"count": 2, "up_gbit_s": )") + gbit_s + R"(}],
      "between": {"messages": [{"latency_us": 0, "send_us": 0, "receive_us": 0, "send_gb_s": 0,
                                "receive_gb_s": 0}]},
      "work": {"call_us": 0, "read_gb_s": 0, "write_gb_s": 0, "reduce_gb_s": 0}})";
  return question;
}

TEST(Drawing, MarksAreInTheUnitOfTheWhole) {
  // At a thousand bytes a microsecond, and at a thousand a second.
  EXPECT_THAT(marks_of(ring_over("8", 1'100'000)),
              ElementsAre("0 ms", "0.2 ms", "0.4 ms", "0.6 ms", "0.8 ms", "1 ms"));
  EXPECT_THAT(
      marks_of(ring_over("8", 780'000)),
      ElementsAre("0 us", "100 us", "200 us", "300 us", "400 us", "500 us", "600 us", "700 us"));
  EXPECT_THAT(marks_of(ring_over("0.000008", 1'100'000)),
              ElementsAre("0 s", "200 s", "400 s", "600 s", "800 s", "1000 s"));
}

TEST(Drawing, MarksOfLongTimesAreWrittenOut) {
  EXPECT_THAT(marks_of(ring_over("0.000001", 970'000'000)),
              ElementsAre("0 s", "1000000 s", "2000000 s", "3000000 s", "4000000 s", "5000000 s",
                          "6000000 s", "7000000 s"));
  EXPECT_EQ(title_of(ring_over("0.000001", 970'000'000)),
            "all_reduce by ring: 925.1 MiB, 2 ranks on 2 hosts, 7760000 s predicted");
}

}  // namespace
}  // namespace rondo
