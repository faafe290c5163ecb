// `rondo trace` as its users see it, of ranks that were traced.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/tool_process.h"

namespace rondo::tool {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

TEST(TraceTool, MergedIntoItsOwnFolder_ReadsThatAgain) {
  const TemporaryFile name;
  const std::string folder = name.path() + ".traces";
  const std::string merged = folder + "/rondo-trace.merged.json";
  ASSERT_EQ(shell("mkdir " + folder + " && RONDO_TRACE=" + folder +
                  " $RONDO bench all_reduce --local 2 -b 64 -e 1K -n 5")
                .exit_code,
            0);
  const Outcome first = rondo("trace " + folder + " -o " + merged);
  EXPECT_EQ(first.exit_code, 0) << first.output;
  EXPECT_THAT(first.output, AllOf(HasSubstr(" calls that all ranks have, "),
                                  ContainsRegex("\n +1 .* [0-9.]+ +0\n")));
  EXPECT_EQ(rondo("trace " + folder).output, first.output);
  EXPECT_EQ(rondo("trace " + merged).output,
            "rondo trace: " + merged + " is a merged trace: give the ranks' files\n");
  const Outcome piped = shell("cat " + folder + "/rondo-trace.*.0.json | $RONDO trace /dev/stdin");
  EXPECT_EQ(piped.exit_code, 0) << piped.output;
  EXPECT_THAT(piped.output, HasSubstr("no file of 1 of 2 ranks: 1\n"));
  shell("rm -r " + folder);
}

}  // namespace
}  // namespace rondo::tool
