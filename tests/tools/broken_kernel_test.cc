// A kernel that is broken on purpose: `rondo bench` sees it, and says so by its exit code.

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

TEST(BenchCheck, KernelThatIsBroken_IsSeen) {
  const std::string with =
      "RONDO_DEVICE_PLUGINS=" RONDO_BROKEN_KERNEL
      " timeout 60 $RONDO bench all_reduce --device custom_cpu -g 2 -b 1K -e 1K -n 2 -w 1 ";
  const TemporaryFile file;
  const Outcome broken = shell(with + "-J " + file.path());
  EXPECT_EQ(broken.exit_code, 1) << broken.output;
  EXPECT_THAT(broken.output, ContainsRegex("# Out of bounds values : [1-9][0-9]* FAILED"));
  const auto json = nlohmann::json::parse(file.content());
  for (const auto& result : json["results"]) {
    // All but those that were right by chance: a rank's part of a sum may be 0.
    EXPECT_GT(result["wrong"], 512)
        << "of 256 elements on two ranks, in the calls before and behind those that are timed";
  }
  const Outcome unchecked = shell(with + "-c 0");
  EXPECT_EQ(unchecked.exit_code, 0) << unchecked.output;
  const Outcome sound = shell(with + "-o max -d i32");
  EXPECT_EQ(sound.exit_code, 0) << sound.output;
  EXPECT_THAT(sound.output, HasSubstr("custom_cpu custom_cpu\n"));
  const Outcome soak = shell(with + "-N 0");
  EXPECT_EQ(soak.exit_code, 1) << soak.output;
  EXPECT_THAT(soak.output, Not(HasSubstr("# cycle 2"))) << "a soak stops where a result is wrong";
}

}  // namespace
}  // namespace rondo::tool
