// What all local ranks find wrong, or one of them for all, is one line: not one of each rank, and
// none of the launcher's behind it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/tool_process.h"

namespace rondo::tool {
namespace {

using testing::HasSubstr;

/// `command` fails, and stderr has one line, which has `words`.
void expect_one_line(const std::string& command, const std::string& words) {
  const Outcome outcome = shell(command + " 2>&1 >/dev/null");
  EXPECT_EQ(outcome.exit_code, 1) << command;
  EXPECT_EQ(std::ranges::count(outcome.output, '\n'), 1) << command << "\n" << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr(words)) << command;
}

TEST(OneLine, OfAVariableThatNobodyUnderstands) {
  for (const std::string command : {"$RONDO bench all_reduce --local 3 -e 8 -n 1",
                                    "$RONDO tune --local 3 --check -e 64 -b 64 -n 1"}) {
    expect_one_line("RONDO_TIMEOUT_MS=abc " + command, "RONDO_TIMEOUT_MS=\"abc\"");
    expect_one_line("RONDO_TRACE_CALLS=-4 " + command, "RONDO_TRACE_CALLS=\"-4\"");
    expect_one_line("RONDO_PROGRESS=by_magic " + command, "by_magic");
    expect_one_line("RONDO_ALGO=star " + command, "star");
    expect_one_line("RONDO_IFACE=nosuch0 " + command, "nosuch0");
  }
}

TEST(OneLine, OfABaselineFromAnotherMachine) {
  const TemporaryFile baseline;
  const std::string bench = "$RONDO bench all_reduce --local 2 -b 64 -e 64 -n 2 ";
  ASSERT_EQ(shell(bench + "-J " + baseline.path()).exit_code, 0);
  auto json = nlohmann::json::parse(baseline.content());
  json["environment"]["host"] = "another";
  baseline.put(json.dump());
  expect_one_line(bench + "--baseline " + baseline.path(), "comes from another machine: its host");
  for (auto& result : json["results"]) result["p50_us"] = 0;
  baseline.put(json.dump());
  expect_one_line(bench + "--any-machine --baseline " + baseline.path(), "took 0 us there");
}

TEST(OneLine, OfMoreMemoryThanThereIs) {
  expect_one_line("$RONDO bench all_reduce --local 3 -b 8 -e 4000000G -n 1",
                  "no registered memory for ");
}

TEST(OneLine, OfARankOrDeviceThatIsNotThere) {
  expect_usage_error("bench broadcast --local 2 -e 8 -n 1 -r 7 2>&1 >/dev/null",
                     "-r 7: there are 2 ranks");
  expect_usage_error("bench all_reduce --local 2 --device tpu", "unknown device 'tpu'");
}

TEST(OneLine, OfAFileThatOnlyRank0Sees) {
  const TemporaryFile file;
  expect_one_line("timeout 60 $RONDO bench all_reduce --local 2 -e 8 -n 1 -N 0 -J /dev/stdout",
                  "no file that can be written row by row");
}

}  // namespace
}  // namespace rondo::tool
