#include "tests/launch/killing.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "tests/launch/reporters.h"
#include "tests/launch/shell.h"

namespace rondo::launch {
std::string rondo_run(int ranks, const std::string& arguments) {
  return std::string(RONDO_TOOL) + " run -n " + std::to_string(ranks) + " -- " + RANK_PROGRAM +
         " " + arguments;
}

void expect_others_name_the_killed(const Killing& killing) {
  const auto before = shared_memory_files();
  const Outcome outcome = shell(killing.variables + " " + rondo_run(4, killing.arguments));
  EXPECT_EQ(outcome.exit_code, 128 + 9) << outcome.output;
  EXPECT_EQ(reporters_of(2, outcome.output), (std::set<std::string>{"0", "1", "3"}))
      << outcome.output;
  EXPECT_EQ(shared_memory_files(), before);
}

void expect_others_notice_the_stopped(const std::string& variables) {
  const Outcome outcome =
      shell("RONDO_TIMEOUT_MS=2000 " + variables + " " + rondo_run(3, "stopped_on_device 2"));
  const std::regex line(R"(\[(\d)\] after (\d+) ms: culprit .*Timeout)");
  std::set<std::string> reporters;
  for (auto it = std::sregex_iterator(outcome.output.begin(), outcome.output.end(), line);
       it != std::sregex_iterator(); ++it) {
    reporters.insert((*it)[1]);
    EXPECT_LT(std::stoi((*it)[2]), 10'000);
  }
  EXPECT_EQ(reporters, (std::set<std::string>{"0", "1"})) << outcome.output;
}

}  // namespace rondo::launch
