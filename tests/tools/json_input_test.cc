#include "tools/rondo/bench/json_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/fuzz_time.h"
#include "tests/tools/tool_process.h"
#include "tools/rondo/bench/ratio_baseline.h"
#include "tools/rondo/bench/recorded.h"

namespace rondo::tool {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

/// One result as `rondo bench --json` writes it.
constexpr const char* kGood =
    R"({"environment":{"host":"a","cpu":"b"},"results":[{"collective":"all_reduce","bytes":4096,)"
    R"("count":1024,"type":"f32","redop":"sum","root":-1,"ranks":2,"transport":"shm",)"
    R"("algorithm":"ring","wire_format":"none","buffers":"registered","in_place":true,"cycle":0,)"
    R"("p50_us":2.5,"p99_us":8.5,"mean_us":5,"min_us":1.5,"max_us":9,"cv_percent":3,)"
    R"("algbw_gbps":2.048,"busbw_gbps":2.048,"wrong":0}],"ratios":[{"peer":"ompi",)"
    R"("collective":"all_reduce","bytes":8,"transport":"shm","ranks":2,"buffers":"registered",)"
    R"("ratio":1.5}]})";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

/// What both readers say; empty: they take it.
std::string mistake_in(const std::string& text) {
  try {
    const nlohmann::json json = parse_json("a.json", text);
    recorded_from("a.json", json);
    ratios_from("a.json", json);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(Recorded, WhatBenchWrites_IsReadBack) {
  const RecordedFile file = recorded_from("a.json", parse_json("a.json", kGood));
  ASSERT_EQ(file.results.size(), 1U);
  EXPECT_EQ(file.results[0].bytes, 4096U);
  EXPECT_EQ(file.results[0].library, "rondo");
  EXPECT_TRUE(file.results[0].in_place);
  EXPECT_DOUBLE_EQ(file.results[0].p50_us, 2.5);
  EXPECT_EQ(file.environment.front().second, "b") << "in the order of names";
  EXPECT_EQ(mistake_in(kGood), "");
}

TEST(Recorded, FieldsThatAreNotAsTheyMustBe_AreNamed) {
  EXPECT_EQ(mistake_in(replaced(kGood, "4096", "-1")),
            "a.json: result 1: 'bytes' must be a whole number from 0 on");
  EXPECT_EQ(mistake_in(replaced(kGood, "2.5", "-2.5")),
            "a.json: result 1: 'p50_us' must be a number from 0 to 1e+15");
  EXPECT_EQ(mistake_in(replaced(kGood, "2.5", "1e300")),
            "a.json: result 1: 'p50_us' must be a number from 0 to 1e+15");
  EXPECT_EQ(mistake_in(replaced(kGood, "true", "1")),
            "a.json: result 1: 'in_place' must be true or false");
  EXPECT_EQ(mistake_in(replaced(kGood, "\"ranks\":2", "\"ranks\":99999999999")),
            "a.json: result 1: 'ranks' must be a whole number from 1 to 2147483647");
  EXPECT_EQ(mistake_in(replaced(kGood, "\"type\"", "\"tape\"")), "a.json: result 1 has no 'type'");
  EXPECT_EQ(mistake_in(replaced(kGood, "\"f32\"", "\"" + std::string(300, 'f') + "\"")),
            "a.json: result 1: 'type' must be of at most 256 letters");
  EXPECT_EQ(mistake_in(replaced(kGood, "\"ratio\":1.5", "\"ratio\":null")),
            "a.json: ratio 1: 'ratio' must be a number from 0 to 1e+15");
}

TEST(Recorded, OtherJson_IsRefused) {
  EXPECT_THAT(mistake_in("[]"), HasSubstr("isn't what `rondo bench --json` writes"));
  EXPECT_THAT(mistake_in(R"({"environment":{}})"), HasSubstr("it has no 'results'"));
  EXPECT_THAT(mistake_in(R"({"environment":3,"results":[]})"), HasSubstr("is no object"));
  EXPECT_THAT(mistake_in(R"({"environment":{},"results":{}})"), HasSubstr("'results' is no list"));
  EXPECT_THAT(mistake_in(R"({"environment":{},"results":[7]})"),
              HasSubstr("result 1 is no object"));
}

TEST(ParseJson, Garbage_IsOneShortLine) {
  EXPECT_EQ(mistake_in("{]"), "a.json is no JSON: what stands at byte 2 doesn't belong there");
  EXPECT_THAT(mistake_in(""), HasSubstr("a.json is no JSON"));
  EXPECT_THAT(mistake_in("[1e999]"), HasSubstr("a number that is out of range"));
  EXPECT_LT(mistake_in("\"" + std::string(1'000'000, 'x')).size(), 100U) << "no quote of the file";
  EXPECT_THAT(mistake_in(std::string("\xff\xfe\x00\x01", 4)), HasSubstr("is no JSON"));
}

TEST(ParseJson, DeepNesting_IsRefusedBeforeItIsBuilt) {
  EXPECT_EQ(mistake_in(std::string(5'000'000, '[')),
            "a.json is nested 5000000 deep; a file of results at most 32");
  EXPECT_THAT(
      mistake_in(replaced(kGood, "\"a\"", "\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[\"")),
      Not(HasSubstr("nested")))
      << "in a text they are letters";
}

TEST(ReadJson, FilesThatAreNone_AreRefused) {
  const auto mistake_of = [](const std::string& path) -> std::string {
    try {
      read_json(path);
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(mistake_of("/no/such.json"), "can't read /no/such.json: No such file or directory");
  EXPECT_EQ(mistake_of("/tmp"), "can't read /tmp: it is no regular file");
  EXPECT_EQ(mistake_of("/dev/zero"), "can't read /dev/zero: it is no regular file");
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

TEST(ReadJson, RandomChanges_AreReadOrRefusedWithALine) {
  std::mt19937 random(20261123);
  FuzzTime time(1000);
  int tried = 0;
  int refused = 0;
  while (time.next()) {
    const std::string text = changed(kGood, random);
    const std::string mistake = mistake_in(text);
    ++tried;
    refused += mistake.empty() ? 0 : 1;
    ASSERT_EQ(mistake.find('\n'), std::string::npos) << mistake << "\n" << text;
  }
  EXPECT_GT(refused, tried / 2) << "most changes are to be seen";
}

}  // namespace
}  // namespace rondo::tool
