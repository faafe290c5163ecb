#include "tools/rondo/bench/local_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace rondo::tool {
namespace {

using testing::ElementsAre;

TEST(UnderRondoRun, LocalFlag_IsTakenOutInBothSpellings) {
  EXPECT_THAT(under_rondo_run("/bin/rondo", 2, {"rondo", "bench", "--local", "2", "-b", "8"}),
              ElementsAre("/bin/rondo", "run", "-n", "2", "--no-prefix", "--terminal",
                          "--ranks-tell", "--", "/bin/rondo", "bench", "-b", "8"));
  EXPECT_THAT(under_rondo_run("/r", 3, {"rondo", "bench", "--local=3", "barrier"}),
              ElementsAre("/r", "run", "-n", "3", "--no-prefix", "--terminal", "--ranks-tell", "--",
                          "/r", "bench", "barrier"));
}

TEST(LauncherVariable, WorldOfOneTask_IsNoLauncher) {
  setenv("PMI_SIZE", "1", 1);
  EXPECT_EQ(launcher_variable(), "");
  setenv("PMI_SIZE", "2", 1);
  EXPECT_EQ(launcher_variable(), "PMI_SIZE");
  unsetenv("PMI_SIZE");
}

TEST(ReplaceProcess, ProgramMissing_SaysWhichAndWhy) {
  EXPECT_EQ(replace_process({"/nowhere/rondo", "bench"}),
            "can't start /nowhere/rondo: No such file or directory");
}

}  // namespace
}  // namespace rondo::tool
