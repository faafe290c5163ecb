// Whatever stands in a file that a command is given, one line says what is wrong with it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/tool_process.h"

namespace rondo::tool {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Garbage {
  std::string text;
  std::string complaint;
};

const Garbage kGarbage[] = {
    {"{", "not JSON at line 1, column 2"},
    {std::string(1'000'000, '['), "nested more than 32 deep"},
    {std::string(1'000'000, 'x'), "not JSON at line 1, column 1"},
    {"{\"unknown\": 1e999}", "a number is out of range at line 1, column 13"},
};

TEST(GarbageFiles, OfNetworksTuningsSchedulesAndRuns_AreNamedAndRefusedInOneLine) {
  const TemporaryFile file;
  const std::pair<std::string, std::string> options[] = {{"--network", "network file "},
                                                         {"--tuning", "tuning file "},
                                                         {"--schedule", "schedule file "},
                                                         {"--run", ""}};
  for (const auto& [option, what] : options) {
    const std::string command = "plan all_reduce " + option + " ";
    const std::string start = what + file.path() + ": ";
    for (const auto& [text, complaint] : kGarbage) {
      file.put(text);
      expect_usage_error(command + file.path(), start + complaint);
    }
    std::filesystem::resize_file(file.path(), 100'000'000);
    expect_usage_error(command + file.path(), "longer than 16 MiB");
    expect_usage_error(command + "/nowhere/x", option + " /nowhere/x: No such file");
  }
}

/// Exit code 1, and one line that has `words`.
void expect_one_line(const std::string& command, const std::vector<std::string>& words) {
  const Outcome outcome = shell(command + " 2>&1");
  EXPECT_EQ(outcome.exit_code, 1) << command;
  EXPECT_EQ(std::ranges::count(outcome.output, '\n'), 1) << outcome.output;
  for (const std::string& word : words) EXPECT_THAT(outcome.output, HasSubstr(word)) << command;
}

TEST(GarbageFiles, ThatTheEnvironmentNames_AreOneLineBeforeRanksAreStarted) {
  const TemporaryFile file;
  for (const std::string variable : {"RONDO_TUNING", "RONDO_SCHEDULE"}) {
    const std::string command =
        variable + "=" + file.path() + " $RONDO bench all_reduce --local 2 -e 8";
    for (const auto& [text, complaint] : kGarbage) {
      file.put(text);
      expect_one_line(command, {"InvalidArgument", file.path(), variable, complaint});
    }
    std::filesystem::resize_file(file.path(), 100'000'000);
    expect_one_line(command, {file.path(), variable, "longer than 16 MiB"});
  }
}

/// What is wrong for the number of ranks is known before they are started, too.
TEST(Variables, ThatDontSuitTheRanks_AreOneLine) {
  for (const std::string links : {"1,1", "1,1,1,1", "1,0,1", "fast"}) {
    for (const std::string command : {"bench all_reduce -e 8", "tune"}) {
      expect_one_line(fmt::format("RONDO_LINKS={} $RONDO {} --local 3", links, command),
                      {"the speed of each of the 3 ranks' links", fmt::format("not '{}'", links)});
    }
  }
  expect_one_line("RONDO_LINKS=1,1 $RONDO bench all_reduce -e 8 --local 2 -t 2",
                  {"the speed of each of the 4 ranks' links"});
  EXPECT_EQ(shell("RONDO_LINKS=1,1,1,1 $RONDO bench all_reduce -e 8 --local 2 -t 2").exit_code, 0);
}

TEST(GarbageFiles, ThatTheEnvironmentNames_EndEveryRankOfALauncher) {
  const TemporaryFile file;
  for (const std::string variable : {"RONDO_TUNING", "RONDO_SCHEDULE"}) {
    for (const auto& [text, complaint] : kGarbage) {
      file.put(text);
      const Outcome outcome = shell(variable + "=" + file.path() +
                                    " $RONDO run -n 2 -- $RONDO bench all_reduce -e 8 2>&1");
      EXPECT_EQ(outcome.exit_code, 1) << variable;
      EXPECT_THAT(outcome.output, AllOf(HasSubstr("InvalidArgument"), HasSubstr(file.path()),
                                        HasSubstr(variable), HasSubstr(complaint)));
    }
  }
}

TEST(MissingFiles, ThatTheEnvironmentOrTuneNames_AreNamed) {
  const std::string bench = " $RONDO bench all_reduce --local 2 -e 8";
  for (const std::string& command :
       {"RONDO_TUNING=/nowhere/x" + bench, "RONDO_SCHEDULE=/nowhere/x" + bench,
        std::string("$RONDO tune --local 2 --check --tuning /nowhere/x")})
    expect_one_line(command, {"/nowhere/x", "No such file"});
  expect_usage_error("verify --schedule /nowhere/x", "--schedule /nowhere/x: No such file");
}

/// What is wrong is how the file fits the question: it is named all the same.
TEST(OwnSchedules, OfAnotherWorld_AreNamed) {
  const TemporaryFile file;
  file.put(rondo("plan all_reduce --ranks 4 --algo ring --print-schedule").output);
  expect_usage_error("plan all_reduce --ranks 3 --schedule " + file.path(),
                     "schedule file " + file.path() + ": 'my_ring' is all_reduce of 4 ranks");
}

TEST(GarbageFiles, OfVerify_AreRefusedInOneLine) {
  const TemporaryFile file;
  for (const auto& [text, complaint] : kGarbage) {
    file.put(text);
    const Outcome outcome = rondo("verify --schedule " + file.path());
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_THAT(outcome.output, HasSubstr("schedule file " + file.path() + ": " + complaint));
    EXPECT_EQ(std::ranges::count(outcome.output, '\n'), 1) << outcome.output;
  }
}

/// Whose, which step and which chunk; what it would have to be; and no run of it.
TEST(WrongSchedule, IsRefusedWithItsStepAndWhatTheRightContentsAre) {
  const std::string file = WRONG_RING_OF_4;
  for (const std::string& command :
       {"$RONDO plan all_reduce --ranks 4 --schedule " + file, "$RONDO verify --schedule " + file,
        "RONDO_SCHEDULE=" + file + " $RONDO bench all_reduce --local 4 -b 8 -e 8 -n 1"}) {
    const Outcome outcome = shell(command + " 2>&1");
    EXPECT_NE(outcome.exit_code, 0) << command;
    EXPECT_THAT(outcome.output,
                AllOf(HasSubstr("schedule file " + file),
                      HasSubstr("its result is row 0 of ranks {0, 1, 3}"),
                      HasSubstr("the right one is row 0 of all ranks"),
                      HasSubstr("the mistake is at rank 2, op 4/12 recv <- rank 1, row 0"),
                      HasSubstr("rank 3, op 6/12 recv_reduce <- rank 2, row 0 (final)")))
        << command;
  }
}

TEST(Tune, AloneOrWithoutAPlaceForItsFile_SaysSo) {
  expect_usage_error("tune", "a world of one rank has nothing to measure");
  const Outcome outcome = rondo("tune --local 2 --out /nowhere/x");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("can't write --out /nowhere/x: No such file"));
}

}  // namespace
}  // namespace rondo::tool
