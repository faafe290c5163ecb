// A build of Rondo whose host kernel is broken on purpose: `rondo bench` sees it, by the processes
// of --local, and says so by its numbers and its exit code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/tool_process.h"

namespace rondo::tool {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string broken_bench(const std::string& arguments) {
  return "LD_LIBRARY_PATH=" RONDO_BROKEN_LIBRARY " timeout 60 $RONDO bench " + arguments;
}

class BrokenHostKernel : public testing::TestWithParam<const char*> {};

TEST_P(BrokenHostKernel, SumsOfF32_AreSeen) {
  const std::string of = std::string(GetParam()) + " --local 2 -b 1K -e 64K -f 8 -n 2 -w 0 ";
  const TemporaryFile file;
  const Outcome broken = shell(broken_bench(of + "-J " + file.path()));
  EXPECT_EQ(broken.exit_code, 1) << broken.output;
  EXPECT_THAT(broken.output, ContainsRegex("# Out of bounds values : [1-9][0-9]* FAILED"));
  EXPECT_THAT(broken.output, Not(HasSubstr("rondo run: "))) << "the table has said it";
  const auto json = nlohmann::json::parse(file.content());
  EXPECT_GE(json["results"].size(), 3U);
  for (const auto& result : json["results"]) EXPECT_GT(result["wrong"], 0) << result;
}

INSTANTIATE_TEST_SUITE_P(Reductions, BrokenHostKernel,
                         testing::Values("all_reduce", "reduce_scatter", "reduce"));

// What doesn't use that kernel is right, and so is the same program with the library as it is.
TEST(BrokenHostKernelOnly, AllElse_IsSound) {
  const std::string with = "--local 2 -b 1K -e 64K -f 8 -n 2 -w 0 ";
  for (const char* sound : {"all_gather ", "all_reduce -o max ", "all_reduce -d f64 "}) {
    const Outcome outcome = shell(broken_bench(sound + with));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("# Out of bounds values : 0 OK"));
  }
  const Outcome whole = rondo("bench all_reduce " + with);
  EXPECT_EQ(whole.exit_code, 0) << whole.output;
}

}  // namespace
}  // namespace rondo::tool
