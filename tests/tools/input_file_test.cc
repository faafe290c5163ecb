#include "tools/rondo/bench/input_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/fuzz_trials.h"
#include "tests/tools/tool_process.h"
#include "tools/rondo/bench/baseline.h"
#include "tools/rondo/bench/chart.h"
#include "tools/rondo/bench/chart_svg.h"
#include "tools/rondo/bench/ratio_baseline.h"
#include "tools/rondo/bench/recorded.h"

namespace rondo::tool {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

/// One result as `rondo bench --json` writes it.
constexpr const char* kGood =
    R"({"environment":{"host":"a","cpu":"b"},"results":[{"collective":"all_reduce","bytes":4096,)"
    R"("count":1024,"type":"f32","redop":"sum","root":-1,"ranks":2,"transport":"shm",)"
    R"("algorithm":"ring","wire_format":"none","buffers":"registered","in_place":true,"cycle":0,)"
    R"("predicted_us":3.25,"p50_us":2.5,"p99_us":8.5,"mean_us":5,"min_us":1.5,"max_us":9,"cv_percent":3,)"
    R"("algbw_gbps":2.048,"busbw_gbps":2.048,"wrong":0}],"ratios":[{"peer":"ompi",)"
    R"("collective":"all_reduce","bytes":8,"transport":"shm","ranks":2,"buffers":"registered",)"
    R"("ratio":1.5}]})";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

/// What a reader says; empty: it takes it.
template <typename Reader>
std::string mistake_by(Reader reader, const std::string& text) {
  try {
    reader("a.json", text);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

/// What the readers of results and of ratios say; empty: they take it.
std::string mistake_in(const std::string& text) {
  const std::string mistake = mistake_by(recorded_from, text);
  return mistake.empty() ? mistake_by(ratios_from, text) : mistake;
}

TEST(Recorded, WhatBenchWrites_IsReadBack) {
  const RecordedFile file = recorded_from("a.json", kGood);
  ASSERT_EQ(file.results.size(), 1U);
  EXPECT_EQ(file.results[0].bytes, 4096U);
  EXPECT_EQ(file.results[0].library, "rondo");
  EXPECT_TRUE(file.results[0].in_place);
  EXPECT_EQ(file.results[0].algorithm, "ring");
  EXPECT_DOUBLE_EQ(file.results[0].predicted_us, 3.25);
  EXPECT_DOUBLE_EQ(file.results[0].p50_us, 2.5);
  EXPECT_EQ(file.environment.front().second, "b") << "in the order of names";
  EXPECT_EQ(mistake_in(kGood), "");
}

TEST(Recorded, OfAFileThatSaysNoMore_NothingIsPredicted) {
  std::string older = replaced(kGood, R"("algorithm":"ring",)", "");
  older = replaced(older, R"("predicted_us":3.25,)", "");
  const RecordedFile file = recorded_from("a.json", older);
  EXPECT_EQ(file.results[0].algorithm, "none");
  EXPECT_EQ(file.results[0].predicted_us, 0);
}

TEST(Recorded, FieldsThatAreNotAsTheyMustBe_AreNamed) {
  EXPECT_EQ(
      mistake_in(replaced(kGood, "4096", "-1")),
      "a.json: results[0].bytes: expected a whole number from 0 to 9223372036854775807, got -1");
  EXPECT_EQ(mistake_in(replaced(kGood, "2.5", "-2.5")),
            "a.json: results[0].p50_us: expected a number from 0 to 1e+15, got -2.5");
  EXPECT_EQ(mistake_in(replaced(kGood, "2.5", "1e300")),
            "a.json: results[0].p50_us: expected a number from 0 to 1e+15, got 1e+300");
  EXPECT_EQ(mistake_in(replaced(kGood, "true", "1")),
            "a.json: results[0].in_place: expected true or false, got 1");
  EXPECT_EQ(
      mistake_in(replaced(kGood, "\"ranks\":2", "\"ranks\":99999999999")),
      "a.json: results[0].ranks: expected a whole number from 1 to 2147483647, got 99999999999");
  EXPECT_EQ(mistake_in(replaced(kGood, "\"type\"", "\"tape\"")),
            "a.json: results[0] has no 'type'");
  EXPECT_THAT(mistake_in(replaced(kGood, "\"f32\"", "\"" + std::string(300, 'f') + "\"")),
              HasSubstr("results[0].type: expected a name, of one line and at most 256 bytes"));
  EXPECT_THAT(mistake_in(replaced(kGood, "\"f32\"", R"("f\n")")), HasSubstr("of one line"));
  EXPECT_EQ(mistake_in(replaced(kGood, "\"ratio\":1.5", "\"ratio\":null")),
            "a.json: ratios[0].ratio: expected a number from 0 to 1e+15, got null");
}

TEST(Recorded, OtherJson_IsRefused) {
  EXPECT_EQ(mistake_in("[]"), "a.json: the file: expected an object, got a list");
  EXPECT_EQ(mistake_in(R"({"environment":{}})"), "a.json: the file has no 'results'");
  EXPECT_EQ(mistake_in(R"({"environment":3,"results":[]})"),
            "a.json: environment: expected an object, got 3");
  EXPECT_EQ(mistake_in(R"({"environment":{},"results":{}})"),
            "a.json: results: expected a list, got an object");
  EXPECT_EQ(mistake_in(R"({"environment":{},"results":[7]})"),
            "a.json: results[0]: expected an object, got 7");
  EXPECT_EQ(mistake_in(R"({"environment":{},"results":[]})"), "a.json: the file has no 'ratios'");
}

TEST(Recorded, Garbage_IsOneShortLine) {
  EXPECT_EQ(mistake_in("{]"), "a.json: not JSON at line 1, column 2");
  EXPECT_EQ(mistake_in(""), "a.json: empty; expected JSON");
  EXPECT_EQ(mistake_in("[1e999]"), "a.json: a number is out of range at line 1, column 2");
  EXPECT_LT(mistake_in("\"" + std::string(1'000'000, 'x')).size(), 100U) << "no quote of the file";
  EXPECT_THAT(mistake_in(std::string("\xff\xfe\x00\x01", 4)), HasSubstr("not JSON"));
}

TEST(Recorded, DeepNesting_IsRefusedBeforeItIsBuilt) {
  EXPECT_EQ(mistake_in(std::string(5'000'000, '[')), "a.json: nested more than 32 deep");
  EXPECT_EQ(mistake_in(replaced(kGood, "\"a\"", "\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[\"")),
            "")
      << "in a text they are letters";
}

TEST(ReadInput, FilesThatAreNone_AreRefused) {
  const auto mistake_of = [](const std::string& path) -> std::string {
    try {
      read_input(path);
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(mistake_of("/no/such.json"), "can't read /no/such.json: No such file or directory");
  EXPECT_EQ(mistake_of("/tmp"), "can't read /tmp: no regular file");
  EXPECT_EQ(mistake_of("/dev/zero"), "can't read /dev/zero: no regular file");
  const TemporaryFile large;
  std::filesystem::resize_file(large.path(), 100'000'000);
  EXPECT_THAT(mistake_of(large.path()),
              EndsWith("has 100000000 bytes; a file of results has at most 16777216"));
}

/// A good file with up to four changes, cuts and insertions.
std::string changed(std::string text, std::mt19937& random) {
  for (unsigned change = 0; change <= random() % 4; ++change) {
    const std::size_t at = random() % text.size();
    switch (random() % 4) {
      case 0: text[at] = static_cast<char>(random()); break;
      case 1: text.erase(at, random() % 20 + 1); break;
      case 2: text.insert(at, text.substr(random() % text.size(), random() % 60)); break;
      default: text.insert(at, std::string(random() % 40, "[{\"9-.e"[random() % 7]));
    }
    if (text.empty()) text = "x";
  }
  return text;
}

/// All that `rondo bench --baseline` does with a file.
void use_as_baseline(const std::string& path, std::string_view text) {
  const RecordedFile file = recorded_from(path, text);
  BenchResult now;
  now.buffers = "registered";
  now.bytes = 4096;
  now.ranks = 2;
  now.p50_us = 2.5;
  now.transport = "shm";
  now.in_place = true;
  require_comparable(file, "all_reduce", 2, {{"host", "a"}, {"cpu", "b"}}, false);
  const BaselineComparison comparison = compare_with(file, {{now, std::nullopt}});
  EXPECT_GE(count_slower(comparison, 10), 0);
  EXPECT_NE(comparison_lines(file, comparison, 10), "");
}

/// All that `rondo bench report` does with one.
void draw(const std::string& path, std::string_view text) {
  const std::vector<ChartLine> lines = lines_of({recorded_from(path, text)});
  EXPECT_NE(chart_table(lines, 1), "");
  EXPECT_TRUE(chart_svg(lines, path, 1).ends_with("</svg>\n"));
}

/// All that `rondo bench compare --baseline` does with one.
void use_as_ratios(const std::string& path, std::string_view text) {
  const std::vector<PeerRatio> before = ratios_from(path, text);
  compare_ratios(path, before, {{"ompi", "all_reduce", 8, "shm", 2, "registered", 1.25}}, 10);
}

TEST(Recorded, RandomChanges_AreReadOrRefusedWithALine) {
  FuzzTrials trials(1000);
  int tried = 0;
  int refused = 0;
  while (trials.next()) {
    const std::string text = changed(kGood, trials.random());
    for (const std::string& mistake : {mistake_by(use_as_baseline, text), mistake_by(draw, text),
                                       mistake_by(use_as_ratios, text)}) {
      ++tried;
      refused += mistake.empty() ? 0 : 1;
      ASSERT_EQ(mistake.find('\n'), std::string::npos) << mistake << "\n" << text;
    }
  }
  EXPECT_GT(refused, tried / 2) << "most changes are to be seen";
}

}  // namespace
}  // namespace rondo::tool
