#include "core/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rondo {
namespace {

using ::testing::AllOf;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ResultOf;

/// The log of a process is made once: each case runs in a fresh one.
class LogOfFreshProcess : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  [[noreturn]] static void log_every_level(const char* setting) {
    ::setenv("RONDO_LOG", setting, 1);
    write_log(LogLevel::kError, "an error line");
    write_log(LogLevel::kWarn, "a warn line");
    write_log(LogLevel::kInfo, "an info line");
    log(LogLevel::kTrace, [] { return "a trace line"; });
    std::_Exit(0);
  }
};

std::ptrdiff_t count_lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST_F(LogOfFreshProcess, unset_logsWarningsToStandardError) {
  EXPECT_EXIT(log_every_level(""), ExitedWithCode(0),
              AllOf(HasSubstr("error: an error line"), HasSubstr("a warn line"),
                    Not(HasSubstr("info line")), Not(HasSubstr("trace line"))));
}

TEST_F(LogOfFreshProcess, trace_logsEverything) {
  EXPECT_EXIT(log_every_level("trace"), ExitedWithCode(0), ResultOf(count_lines, 4));
}

TEST_F(LogOfFreshProcess, off_logsNothing) {
  EXPECT_EXIT(log_every_level("off"), ExitedWithCode(0), "^$");
}

TEST_F(LogOfFreshProcess, badLevel_saysSoInOneLineAndFallsBackToWarn) {
  EXPECT_EXIT(
      log_every_level("loud"), ExitedWithCode(0),
      AllOf(HasSubstr("RONDO_LOG=loud"), HasSubstr("off, error, warn, info, debug, trace"),
            HasSubstr("a warn line"), Not(HasSubstr("info line")), ResultOf(count_lines, 3)));
}

TEST_F(LogOfFreshProcess, fileThatCantBeOpened_saysSoInOneLineAndFallsBackToWarn) {
  EXPECT_EXIT(
      log_every_level("trace,/dev/null/x.log"), ExitedWithCode(0),
      AllOf(HasSubstr("/dev/null/x.log"), HasSubstr("a warn line"), ResultOf(count_lines, 3)));
}

TEST(Log, settings_areLevelThenFile) {
  EXPECT_EQ(parse_log_settings("debug").value().level, LogLevel::kDebug);
  EXPECT_EQ(parse_log_settings("debug").value().file, "");
  EXPECT_EQ(parse_log_settings("off,a,b.log").value().file, "a,b.log");
  EXPECT_FALSE(parse_log_settings("").ok());
  EXPECT_FALSE(parse_log_settings("WARN").ok());
}

TEST(Log, programTakesTheLines_AndGivesThemBack) {
  std::vector<std::string> lines;
  set_log(
      [&](LogLevel level, std::string_view line) {
        lines.emplace_back(line);
        // It may log, and fail.
        if (level == LogLevel::kError) throw std::runtime_error("no room");
        if (lines.size() == 1) write_log(LogLevel::kInfo, "from inside");
      },
      LogLevel::kInfo);
  log(LogLevel::kWarn, [] { return std::string("one"); });
  log(LogLevel::kError, [] { return std::string("two"); });
  log(LogLevel::kDebug, [] { return std::string("not of this level"); });
  set_log({});
  EXPECT_FALSE(log_enabled(LogLevel::kInfo)) << "as before";
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "from inside", "two"}));
}

TEST(Log, file_takesTheLinesOfItsLevel) {
  const auto path = std::filesystem::path(::testing::TempDir()) /
                    ("rondo_log_test_" + std::to_string(::getpid()) + ".log");
  ASSERT_TRUE(configure_log({LogLevel::kInfo, path.string()}).ok());
  int made = 0;
  const auto message = [&made](const char* text) { return [&made, text] { return ++made, text; }; };
  log(LogLevel::kInfo, message("kept"));
  log(LogLevel::kDebug, message("dropped"));
  ASSERT_TRUE(configure_log({}).ok());
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::filesystem::remove(path);
  EXPECT_THAT(text, AllOf(HasSubstr("info: kept"), Not(HasSubstr("dropped"))));
  EXPECT_EQ(made, 1) << "the message of a disabled level must not be made";
  EXPECT_FALSE(log_enabled(LogLevel::kInfo));
  EXPECT_FALSE(log_enabled(LogLevel::kOff));
}

}  // namespace
}  // namespace rondo
