// Files of few words, or of very many, that would ask for more memory or time than there is: they
// are refused in one line, or answered, within limits that end a program which isn't up to them.
// So are questions about the largest worlds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/tool_process.h"

namespace rondo::tool {
namespace {

using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// `rondo` within so much memory and processor time; with sanitizers as it is, for they reserve
/// terabytes.
Outcome limited(const std::string& arguments, int kilobytes, int seconds) {
  const std::string limits =
      "ulimit -v " + std::to_string(kilobytes) + "; ulimit -t " + std::to_string(seconds) + "; ";
  return shell((RONDO_SLOW_BUILD ? "" : limits) + "$RONDO " + arguments);
}

Outcome limited(const std::string& arguments) { return limited(arguments, 1'500'000, 10); }

void expect_refused(const std::string& arguments, int exit_code, const std::string& complaint) {
  const Outcome outcome = limited(arguments);
  EXPECT_EQ(outcome.exit_code, exit_code) << arguments;
  EXPECT_THAT(outcome.output, HasSubstr(complaint)) << arguments;
  EXPECT_EQ(std::ranges::count(outcome.output, '\n'), 1) << outcome.output;
  EXPECT_LT(outcome.output.size(), 1000U);
}

/// `part`, so many times, with commas between.
std::string repeated(std::size_t count, const std::string& part) {
  std::string text;
  text.reserve(count * (part.size() + 1));
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + part;
  return text;
}

std::string schedule_of(int ranks, int rows, const std::string& own) {
  return R"({"name": "x", "collective": "all_reduce", "turns": true, "ranks": )" +
         std::to_string(ranks) + R"(, "rows": )" + std::to_string(rows) + R"(, "schedules": [{)" +
         own + "}]}";
}

TEST(CostlySchedules, OfFewWordsAndManyRanks_AreRefusedAtOnce) {
  const std::string send = R"(["send", 1, "in 0"])";
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {schedule_of(4096, 1 << 20, R"("lanes": [[)" + send + R"(, ["recv", 4095, "out 0"]]])"),
       ": rows: 4294967296 rows and scratch slots of all ranks together; expected at most 4194304"},
      {schedule_of(4096, 1, R"("scratch": [)" + repeated(100'000, "0") + R"(], "lanes": [])"),
       ": schedules[0]: 409604096 rows and scratch slots of all ranks together"},
      {schedule_of(4096, 1, R"("lanes": [)" + repeated(6, R"([["copy", "in 0", "out 0"]])") + "]"),
       ": schedules[0]: 24576 lanes of all ranks together; expected at most 8192"},
      {schedule_of(2, 1, R"("lanes": [)" + repeated(7, R"([["copy", "in 0", "out 0"]])") + "]"),
       ": schedules[0].lanes: 7 lanes; at most 6"},
      {schedule_of(4096, 1, R"("lanes": [[)" + repeated(10'000, send) + "]]"),
       ": schedules[0]: 40960000 ops of all ranks together; expected at most 4194304"}};
  const TemporaryFile file;
  for (const auto& [text, complaint] : wrong) {
    file.put(text);
    expect_refused("verify --schedule " + file.path(), 1, complaint);
  }
  file.put(wrong.front().first);
  expect_refused("plan all_reduce --ranks 4096 --schedule " + file.path(), 2, wrong.front().second);
}

TEST(CostlySchedules, OfAsManyRowsAsThereMayBe_AreProvedOrRefused) {
  const TemporaryFile file;
  file.put(schedule_of(4, 1 << 20, R"("lanes": [[["send", 1, "in 0"], ["recv", 3, "out 0"]]])"));
  expect_refused("verify --schedule " + file.path(), 1, "takes the message of row ");
}

TEST(CostlyNetworks, OfManySwitches_AreReadInTime) {
  std::string switches = R"({"name":"s0"})";
  for (int i = 1; i < 200'000; ++i) switches += R"(,{"name":"s)" + std::to_string(i) + "\"}";
  const std::string begin = R"({"switches":[)" + switches + R"(],"hosts":[{"switch":)";
  const TemporaryFile file;
  file.put(begin + R"("s199999"},{}]})");
  const Outcome outcome = limited("plan all_reduce --algo ring --network " + file.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  file.put(begin + R"("t"}]})");
  expect_refused("plan all_reduce --network " + file.path(), 2,
                 "one of the switches (s0, s1, s2, s3, s4, s5, s6, s7, ...), got \"t\"");
}

/// Millions of mistakes, of which the first is told.
TEST(CostlyNetworks, OfManyValues_AreRefusedInTime) {
  const TemporaryFile file;
  const std::string hosts = R"({"hosts":[)" + repeated(4'000'000, "1") + "]}";
  file.put(hosts);
  expect_refused("plan all_reduce --network " + file.path(), 2,
                 "network file " + file.path() + ": hosts[0]: expected an object, got 1");
  file.put(R"({"rondo_tuning":1,"network":)" + hosts + "}");
  expect_refused("plan all_reduce --tuning " + file.path(), 2,
                 "tuning file " + file.path() + ": network.hosts[0]: expected an object, got 1");
  file.put(R"({"hosts":[)" + repeated(4'000'000, "{}") + "]}");
  expect_refused("plan all_reduce --network " + file.path(), 2,
                 "hosts[1048576]: 1048577 ranks up to here; at most 1048576");
}

TEST(CostlyTraces, OfManyEvents_AreReadInTime) {
  const TemporaryFile file;
  file.put("[" + repeated(262'000, "{}") + "]");
  expect_refused("trace " + file.path(), 1, "its first event isn't the one called \"rondo\"");
  file.put("[" + repeated(270'000, "{}") + "]");
  expect_refused("trace " + file.path(), 1, "more than 262208 events");
}

/// As slow as a network may be, and slower.
TEST(CostlyNetworks, SoSlowThatNothingEnds_AreRefused) {
  const TemporaryFile file;
  const std::string draw = "plan all_reduce --bytes 1M --draw /dev/null --network " + file.path();
  file.put(R"({"hosts":[{"ranks":2}],"work":{"read_gb_s":1e-300}})");
  expect_refused(draw, 2,
                 "work.read_gb_s: expected 0, or a number from 1e-06 to 1e+06, got 1e-300");
  file.put(R"({"hosts":[{"count":2,"up_gbit_s":1e-6,"memory_gb_s":1e-6}],)"
           R"("work":{"read_gb_s":1e-6,"reduce_gb_s":1e-6,"cache_mib":1e-3,"beyond_cache":1e6}})");
  const Outcome slow = limited(draw);
  EXPECT_EQ(slow.exit_code, 0) << slow.output;
  EXPECT_THAT(slow.output, Not(AnyOf(HasSubstr("inf"), HasSubstr("nan"))));
}

TEST(CostlyPlans, OfMoreBytesThanThereAre_AreRefused) {
  expect_refused("plan all_reduce --ranks 2 --bytes 4096G", 2,
                 "all_reduce of 4398046511104 bytes on a rank: expected at most 1099511627776");
  const TemporaryFile run;
  run.put(R"({"environment":{},"results":[{"collective":"all_reduce","bytes":9223372036854775807,)"
          R"("type":"f32","redop":"sum","ranks":2,"transport":"shm","algorithm":"ring",)"
          R"("buffers":"registered","in_place":true,"p50_us":2.5,"busbw_gbps":1}]})");
  expect_refused("plan --ranks 2 --run " + run.path(), 2,
                 "all_reduce of 9223372036854775807 bytes on a rank");
}

TEST(CostlyPlans, OfVeryManyBytes_AreAnsweredInTime) {
  for (const std::string collective : {"all_reduce", "broadcast", "all_to_all"}) {
    const Outcome plan = limited("plan " + collective + " --ranks 4 --bytes 1024G");
    EXPECT_EQ(plan.exit_code, 0) << plan.output;
    EXPECT_THAT(plan.output, Not(HasSubstr("million steps"))) << collective;
    const Outcome drawn =
        limited("plan " + collective + " --ranks 4 --bytes 1024G --algo auto --draw /dev/null");
    EXPECT_EQ(drawn.exit_code, 0) << drawn.output;
  }
}

TEST(FilesThatAreNone, AreReadAsFarAsTheyCanBe) {
  expect_usage_error("plan all_reduce --network /tmp", "--network /tmp: Is a directory");
  expect_usage_error("plan all_reduce --network /proc/self/status", "not JSON at line 1");
  expect_usage_error("plan all_reduce --network /dev/zero",
                     "--network /dev/zero: longer than 16 MiB");
  const Outcome piped =
      shell(R"(echo '{"hosts": [{"ranks": 3}]}' | $RONDO plan all_reduce --network /dev/stdin)");
  EXPECT_EQ(piped.exit_code, 0) << piped.output;
  EXPECT_THAT(piped.output, HasSubstr("3 ranks on 1 host"));
}

/// What the largest worlds are promised to take, 2 GB and 10 s, on a machine that is three times as
/// slow. (With sanitizers the same takes minutes.)
TEST(CostlyWorlds, OfSixtyFiveThousandRanks_ArePlanned) {
  if (RONDO_SLOW_BUILD) GTEST_SKIP() << "too slow";
  for (const std::string world : {"--ranks 65536", "--hosts 8192x8"}) {
    for (const auto& [collective, algorithm] :
         std::vector<std::pair<std::string, std::string>>{{"all_reduce", "ring"},
                                                          {"all_reduce", "double_binary_tree"},
                                                          {"broadcast", "tree"},
                                                          {"reduce", "tree"}}) {
      std::string question = "plan ";
      question.append(collective).append(" --bytes 64M --algo ");
      question.append(algorithm).append(" ").append(world);
      const Outcome outcome = limited(question, 2'000'000, 30);
      EXPECT_EQ(outcome.exit_code, 0) << question << "\n" << outcome.output;
      EXPECT_THAT(outcome.output, HasSubstr(collective + " of 64 MiB, 65536 ranks on "))
          << question;
      EXPECT_THAT(outcome.output, ContainsRegex("\n\\* " + algorithm + " +[0-9.]+ m?s "))
          << question;
    }
  }
}

}  // namespace
}  // namespace rondo::tool
