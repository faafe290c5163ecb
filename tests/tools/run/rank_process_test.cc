#include "tools/rondo/run/rank_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/rondo/run/run_error.h"

namespace rondo::tool {
namespace {

/// A child that leads its group and has ended.
pid_t ended_child(int exit_code) {
  const pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    _exit(exit_code);
  }
  siginfo_t info;
  EXPECT_EQ(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT), 0);
  return pid;
}

TEST(RankProcess, Ended_givesItsStatusOnce) {
  RankProcess process(ended_child(7));
  const auto status = process.reap(Time());
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(WEXITSTATUS(*status), 7);
  EXPECT_FALSE(process.running());
  EXPECT_FALSE(process.reap(Time()).has_value());
}

TEST(RankProcess, StatusTakenBySomebodyElse_isAnEndAndAFailure) {
  RankProcess process(ended_child(0));
  ASSERT_EQ(waitpid(process.pid(), nullptr, 0), process.pid());
  const auto status = process.reap(Time());
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFEXITED(*status));
  EXPECT_EQ(WEXITSTATUS(*status), kExitCannotRun);
  EXPECT_FALSE(process.running());
}

}  // namespace
}  // namespace rondo::tool
