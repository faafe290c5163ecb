// Runs that are ended from outside: the files that they were to write aren't there, or can be read.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/tool_process.h"

namespace rondo::tool {
namespace {

/// No first row is measured for minutes.
TEST(InterruptedBench, BeforeItsFirstRow_LeavesAFileWithoutResults) {
  for (const std::string signal : {"TERM", "KILL"}) {
    const TemporaryFile file;
    std::filesystem::remove(file.path());
    shell(fmt::format(
        "$RONDO bench all_reduce --local 2 -b 8M -e 8M -n 1000000 -J {0} >/dev/null & "
        "tries=0; while ! test -s {0} && test $tries -lt 300; do sleep 0.1; tries=$((tries+1)); "
        "done; kill -{1} $!; wait",
        file.path(), signal));
    const auto json = nlohmann::json::parse(file.content(), nullptr, false);
    ASSERT_TRUE(json.is_object()) << "'" << file.content() << "'";
    EXPECT_FALSE(json["environment"].empty());
    EXPECT_TRUE(json["results"].empty());
  }
}

/// A tuning takes seconds; of a machine where it doesn't, the file is whole.
TEST(InterruptedTune, LeavesNoEmptyFile) {
  for (const std::string signal : {"INT", "TERM", "KILL"}) {
    const TemporaryFile file;
    std::filesystem::remove(file.path());
    shell("timeout -s " + signal + " 1 $RONDO tune --local 2 --out " + file.path());
    if (!std::filesystem::exists(file.path())) continue;
    EXPECT_TRUE(nlohmann::json::accept(file.content())) << "'" << file.content() << "'";
  }
}

TEST(InterruptedTune, LeavesTheFileThatWasThere) {
  const TemporaryFile file;
  file.put("{}");
  const Outcome outcome = shell("timeout -s TERM 1 $RONDO tune --local 2 --out " + file.path());
  if (outcome.exit_code != 0) {
    EXPECT_EQ(file.content(), "{}");
  }
}

}  // namespace
}  // namespace rondo::tool
