// Signals to `rondo run`, with shells for ranks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <thread>

#include "tests/tools/run/started_run.h"
#include "tools/rondo/run/shutdown.h"

namespace rondo::tool {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Run, Signal_isPassedToTheRanksAndTheirChildren) {
  StartedRun run(shells(2,
                        "trap 'echo got USR1' USR1; trap 'echo got INT; exit 0' INT;"
                        "(trap 'echo child got USR1; exit' USR1; echo child ready;"
                        " while :; do sleep 0.1; done) & echo ready;"
                        "while :; do sleep 0.1; done"));
  for (const char* rank : {"[0] ", "[1] "}) {
    run.wait_for_output(std::string(rank) + "ready");
    run.wait_for_output(std::string(rank) + "child ready");
  }
  run.signal(SIGUSR1);
  for (const char* rank : {"[0] ", "[1] "}) {
    run.wait_for_output(std::string(rank) + "got USR1");
    run.wait_for_output(std::string(rank) + "child got USR1");
  }
  run.signal(SIGINT);
  const auto result = run.finish();
  EXPECT_EQ(result.exit_code, 0) << "ranks that end well on SIGINT are no failure";
  EXPECT_THAT(result.out, HasSubstr("[0] got INT"));
  EXPECT_THAT(result.out, HasSubstr("[1] got INT"));
}

TEST(Run, Signal_ranksDieOfIt_isTheExitCode) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    StartedRun run(shells(2, "echo ready; exec sleep 1000"));
    run.wait_for_output("[0] ready");
    run.wait_for_output("[1] ready");
    run.signal(number);
    EXPECT_EQ(run.finish().exit_code, 128 + number);
  }
}

TEST(Run, Signal_askedTwice_killsDeafRanks) {
  StartedRun run(shells(2,
                        "trap 'echo got INT' INT; trap 'echo got TERM' TERM; echo ready;"
                        "while :; do sleep 0.1; done"));
  run.wait_for_output("[0] ready");
  run.wait_for_output("[1] ready");
  run.signal(SIGINT);
  run.wait_for_output("[0] got INT");
  std::this_thread::sleep_for(kOneWish);  // or it would be the same wish once more
  run.signal(SIGINT);
  const auto result = run.finish();
  EXPECT_EQ(result.exit_code, 128 + SIGINT);
  EXPECT_THAT(result.out, Not(HasSubstr("got TERM"))) << "at once, and not step by step";
}

// It signals its child and then its group, which the launcher is in; ranks end as they like.
TEST(Run, Signal_byTimeout_isOneWish) {
  const auto tidied = ElementsAre("[0] tidied up", "[1] tidied up");
  RunResult result;
  for (int tries = 0; tries < 3; ++tries) {  // it may stand still between the two
    result = run_to_end(
        {"-n", "1", "--", "timeout", "6", RONDO_TOOL, "run", "-n", "2", "--", "/bin/sh", "-c",
         "trap 'sleep 0.5; echo tidied up; exit 0' TERM; while :; do sleep 0.1; done"});
    if (testing::Value(sorted_lines(result.out), tidied)) break;
  }
  EXPECT_THAT(sorted_lines(result.out), tidied) << result.err;
}

TEST(Run, Signal_ranksIgnoreTheFirstOfTwo_getTheOther) {
  StartedRun run(shells(2,
                        "trap '' HUP; trap 'echo got TERM; exit 0' TERM; echo ready;"
                        "while :; do sleep 0.1; done"));
  run.wait_for_output("[0] ready");
  run.wait_for_output("[1] ready");
  // It finds both when it goes on, however late this thread sends the other.
  run.signal(SIGSTOP);
  siginfo_t stopped{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(run.pid()), &stopped, WSTOPPED), 0);
  run.signal(SIGHUP);
  run.signal(SIGTERM);
  run.signal(SIGCONT);
  const auto result = run.finish();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("[0] got TERM"));
  EXPECT_THAT(result.out, HasSubstr("[1] got TERM"));
}

// Under nohup a log-out is no wish, neither the first of two nor the second.
TEST(Run, Signal_ignoredByTheStarter_isNoWish) {
  StartedRun run(shells(2,
                        "trap 'sleep 0.5; echo tidied up; exit 0' TERM; echo ready;"
                        "while :; do sleep 0.1; done"),
                 {SIGHUP});
  run.wait_for_output("[0] ready");
  run.wait_for_output("[1] ready");
  for (const int number : {SIGHUP, SIGHUP, SIGTERM}) {
    run.signal(number);
    std::this_thread::sleep_for(kOneWish);
  }
  const auto result = run.finish();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(sorted_lines(result.out),
              ElementsAre("[0] ready", "[0] tidied up", "[1] ready", "[1] tidied up"));
}

TEST(Run, Signal_ignoredByTheStarter_ranksIgnoreItToo) {
  StartedRun run({"-n", "2", "--", "grep", "SigIgn", "/proc/self/status"}, {SIGHUP});
  const auto result = run.finish();
  // SIGHUP is bit 0.
  const char* with = "SigIgn:.[0-9a-f]{15}[13579bdf]\n";
  EXPECT_THAT(result.out, ContainsRegex(std::string(with) + ".*" + with));
}

TEST(Run, Signal_ranksThatGoOn_areNamed) {
  StartedRun run(shells(3,
                        "test $RONDO_RANK = 1 || trap '' INT; echo pid $$;"
                        "while :; do sleep 0.1; done"));
  for (const char* rank : {"[0] ", "[1] ", "[2] "}) run.wait_for_output(std::string(rank) + "pid ");
  run.signal(SIGINT);
  run.wait_for_output("another SIGINT kills them");
  run.signal(SIGINT);
  const auto result = run.finish();
  EXPECT_EQ(result.exit_code, 128 + SIGINT);
  EXPECT_THAT(result.err,
              HasSubstr("rondo run: 1 s after SIGINT still waiting for rank 0 (pid " +
                        std::to_string(pid_after(result.out, "[0] pid ")) + "), rank 2 (pid " +
                        std::to_string(pid_after(result.out, "[2] pid ")) + "); "));
}

}  // namespace
}  // namespace rondo::tool
