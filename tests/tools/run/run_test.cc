// `rondo run` as its users meet it, with shells for ranks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "tests/tools/run/started_run.h"

namespace rondo::tool {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(Run, Ranks_getTheirPlaceInTheWorld) {
  const auto result =
      run_to_end(shells(3,
                        "echo $RONDO_RANK of $RONDO_WORLD, $RONDO_LOCAL_RANK $RONDO_LOCAL_WORLD;"
                        "test $RONDO_RANK = 0 || test -z \"$RONDO_STORE_FD\" || echo has fd"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(sorted_lines(result.out),
              ElementsAre("[0] 0 of 3, 0 3", "[1] 1 of 3, 1 3", "[2] 2 of 3, 2 3"));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(Run, StoreSocket_isOpenInRank0Alone) {
  const auto result =
      run_to_end(shells(2,
                        "if test $RONDO_RANK = 0; then readlink /proc/self/fd/$RONDO_STORE_FD; "
                        "else for fd in /proc/self/fd/*; do readlink $fd; done; fi; true"));
  const auto begin = result.out.find("[0] socket:[");
  ASSERT_NE(begin, std::string::npos) << result.out;
  const std::string socket = result.out.substr(begin + 4, result.out.find(']', begin + 4) - begin);
  EXPECT_THAT(result.out, Not(HasSubstr("[1] " + socket.substr(0, socket.find('\n')))));
}

TEST(Run, Streams_keepApartAndGetPrefixes) {
  auto words = shells(2, "echo to out; echo to err >&2; printf unfinished");
  auto result = run_to_end(words);
  EXPECT_THAT(sorted_lines(result.out),
              ElementsAre("[0] to out", "[0] unfinished", "[1] to out", "[1] unfinished"));
  EXPECT_THAT(sorted_lines(result.err), ElementsAre("[0] to err", "[1] to err"));
  words.insert(words.begin(), "--tag-output");
  result = run_to_end(words);
  EXPECT_THAT(sorted_lines(result.err), ElementsAre("[0 err] to err", "[1 err] to err"));
  EXPECT_THAT(result.out, HasSubstr("[1 out] unfinished\n"));
  words.front() = "--no-prefix";
  result = run_to_end(words);
  EXPECT_THAT(sorted_lines(result.err), ElementsAre("to err", "to err"));
}

TEST(Run, WorldOfOne_hasNoPrefix) {
  EXPECT_EQ(run_to_end(shells(1, "printf 'a\\nb'")).out, "a\nb");
}

TEST(Run, Program_keepsItsOwnWords) {
  for (const std::vector<std::string>& lead :
       {std::vector<std::string>{"-n", "1", "--"}, std::vector<std::string>{"-n1"}}) {
    auto words = lead;
    for (const char* word : {"printf", "%s|", "-n", "7", "--timeout", "[a,b]", "", "--", "x y"}) {
      words.emplace_back(word);
    }
    EXPECT_EQ(run_to_end(words).out, "-n|7|--timeout|[a,b]||--|x y|");
  }
}

TEST(Run, Output_ofMegabytes_arrivesWhole) {
  // Both streams at once, much more than a pipe holds.
  const auto result = run_to_end(
      shells(4,
             "i=0; while test $i -lt 16; do head -c 65535 /dev/zero | tr '\\0' $RONDO_RANK; echo; "
             "head -c 65535 /dev/zero | tr '\\0' e >&2; echo >&2; i=$((i+1)); done"));
  EXPECT_EQ(result.exit_code, 0);
  for (const std::string& text : {result.out, result.err}) {
    ASSERT_EQ(line_count(text), 64U);
    EXPECT_EQ(text.size(), 64U * (4 + 65536));
  }
  for (const auto& line : sorted_lines(result.out)) {
    ASSERT_EQ(line.substr(4), std::string(65535, line[1]));
  }
}

TEST(Run, Stdin_isRank0sAlone) {
  const auto result = run_to_end({"-n", "1", "--", "/bin/sh", "-c",
                                  "printf 'a\\nb\\n' | \"$0\" run -n 3 -- wc -l", RONDO_TOOL});
  EXPECT_THAT(sorted_lines(result.out), ElementsAre("[0] 2", "[1] 0", "[2] 0"));
}

TEST(Run, Rank_fails_itsCodeAndOneLineTell) {
  const auto result = run_to_end(shells(3, "test $RONDO_RANK != 1 || exit 7"));
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_THAT(result.err, MatchesRegex("rondo run: rank 1 \\(pid [0-9]+\\) exited with code 7\n"));
}

TEST(Run, Rank_isKilled_itsSignalIsTold) {
  const auto result = run_to_end(shells(3, "test $RONDO_RANK != 2 || kill -9 $$"));
  EXPECT_EQ(result.exit_code, 128 + 9);
  EXPECT_THAT(
      result.err,
      MatchesRegex("rondo run: rank 2 \\(pid [0-9]+\\) was killed by signal 9 \\(Killed\\)\n"));
}

std::string errors_of_ranks_that_tell(const std::string& script) {
  auto words = shells(2, script);
  words.insert(words.begin(), "--ranks-tell");
  return run_to_end(words).err;
}

TEST(Run, RanksThatTell_needNoLineBehindTheirs) {
  for (const std::string code : {"1", "2", "3"}) {
    EXPECT_THAT(sorted_lines(errors_of_ranks_that_tell("echo why >&2; exit " + code)),
                ElementsAre("[0] why", "[1] why"));
    EXPECT_EQ(errors_of_ranks_that_tell("test $RONDO_RANK = 1 || echo why >&2; exit " + code),
              "[0] why\n")
        << "one for all";
    EXPECT_EQ(errors_of_ranks_that_tell("test $RONDO_RANK = 1 || echo wrong: 7; exit " + code), "");
  }
}

TEST(Run, RanksThatTell_areNamedWhereNoneHas) {
  const auto exited = [](const std::string& code) {
    return MatchesRegex("rondo run: rank [01] \\(pid [0-9]+\\) exited with code " + code + "\n");
  };
  EXPECT_THAT(errors_of_ranks_that_tell("exit 1"), exited("1"));
  EXPECT_THAT(errors_of_ranks_that_tell("test $RONDO_RANK = 0 || exit 1; echo table"), exited("1"))
      << "what another one says is no reason";
  EXPECT_THAT(errors_of_ranks_that_tell("echo table; exit 7"), exited("7"));
  EXPECT_THAT(errors_of_ranks_that_tell("echo why; test $RONDO_RANK = 0 || kill -9 $$; sleep 9"),
              HasSubstr("rondo run: rank 1 "));
}

TEST(Run, FirstFailure_winsOverLaterOnes) {
  const auto result =
      run_to_end(shells(3, "case $RONDO_RANK in 0) exit 5;; 1) sleep 2.5; exit 6;; esac"));
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(line_count(result.err), 1U);
}

TEST(Run, Others_getTimeToReportBeforeTheyAreTold) {
  // Rank 0 fails. Rank 1 reports for a second and ends by itself. Rank 2 ends only when told to.
  // Rank 3 doesn't listen and has to be killed, with what it has started.
  const auto result = run_to_end(
      shells(4,
             "case $RONDO_RANK in"
             "  0) exit 9;;"
             "  1) sleep 1; echo reported; exit 0;;"
             "  2) trap 'echo was told; exit 0' TERM; while :; do sleep 0.1; done;;"
             "  3) trap '' TERM; echo $$ is deaf; sleep 1000 & while :; do sleep 0.1; done;;"
             "esac"));
  EXPECT_EQ(result.exit_code, 9);
  const auto reported = result.out.find("[1] reported");
  const auto told = result.out.find("[2] was told");
  ASSERT_NE(reported, std::string::npos);
  ASSERT_NE(told, std::string::npos);
  EXPECT_LT(reported, told);
  EXPECT_EQ(kill(-pid_after(result.out, "[3] "), 0), -1) << "rank 3's group is still there";
}

TEST(Run, Launcher_isKilled_ranksDieWithIt) {
  StartedRun run(shells(2, "echo pid $$; exec sleep 1000"));
  run.wait_for_output("[0] pid ");
  run.wait_for_output("[1] pid ");
  run.signal(SIGKILL);
  const auto result = run.finish();
  EXPECT_TRUE(ends(pid_after(result.out, "[0] pid ")));
  EXPECT_TRUE(ends(pid_after(result.out, "[1] pid ")));
}

TEST(Run, Rank_leavesAProcessBehind_isCleanedUp) {
  const auto result = run_to_end(shells(2, "sleep 1000 & echo left $!; exit 0"));
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(ends(pid_after(result.out, "[0] left ")));
  EXPECT_TRUE(ends(pid_after(result.out, "[1] left ")));
}

// Orphans in sessions of their own: they end while the rank goes on, and kill sees them until then.
TEST(Run, Rank_leavesAProcessInAnotherSession_isReapedAtItsEnd) {
  const auto result = run_to_end(
      shells(2,
             "left=$( (setsid sleep 0.1 > /dev/null & echo $!) ); i=0;"
             "while kill -0 $left && test $i -lt 200; do sleep 0.1; i=$((i+1)); done 2> /dev/null;"
             "test $i -lt 200 && echo gone"));
  EXPECT_THAT(sorted_lines(result.out), ElementsAre("[0] gone", "[1] gone"));
}

TEST(Run, RanksEndAmongOrphans_theirCodesAreKept) {
  const auto result =
      run_to_end(shells(8,
                        "i=0; while test $i -lt 20; do (setsid true &); i=$((i+1)); done;"
                        "test $RONDO_RANK != 5 || exit 7"));
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_THAT(result.err, MatchesRegex("rondo run: rank 5 \\(pid [0-9]+\\) exited with code 7\n"));
}

TEST(Run, TerminalThatStopsTheBackground_isWrittenByAWorldOfOne) {
  const auto seen =
      on_stopping_terminal(shells(1, "echo to out; echo to err >&2; sh -c 'echo from a child'"));
  EXPECT_EQ(seen, "to out\r\nto err\r\nfrom a child\r\n");
}

TEST(Run, Reader_goesAway_ranksLearnIt) {
  const auto result = run_to_end(
      {"-n", "1", "--", "/bin/sh", "-c", "\"$0\" run -n 2 -- yes | head -n 1", RONDO_TOOL});
  EXPECT_THAT(result.out, MatchesRegex("\\[[01]\\] y\n"));
}

TEST(Run, Output_cannotBeWritten_isAFailure) {
  const auto run_into = [](const std::string& stream, const std::string& program) {
    return run_to_end({"-n", "1", "--", "/bin/sh", "-c",
                       "\"$0\" run -n 2 -- " + program + " " + stream + "> /dev/full", RONDO_TOOL});
  };
  auto result = run_into("1", "echo hello");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("can't write to standard output: No space left on device\n"));
  // More than a pipe and the launcher hold: a full disk ends no rank that has more to do.
  result = run_into("1", "sh -c 'yes | head -c 1000000 && echo went on >&2'");
  EXPECT_EQ(result.exit_code, 1) << "no rank's, but output is lost";
  EXPECT_THAT(result.err, HasSubstr("can't write to standard output: No space left on device\n"));
  EXPECT_THAT(result.err, AllOf(HasSubstr("[0] went on\n"), HasSubstr("[1] went on\n")));
  result = run_into("2", "sh -c 'echo hello >&2'");
  EXPECT_EQ(result.exit_code, 1) << "there is nobody to tell why";
}

// A shell that ignores SIGCHLD hands that down, as some supervisors of services do.
TEST(Run, SigchldIgnoredByTheStarter_endsAndRanksDoNotInheritIt) {
  const auto result = run_to_end(
      {"-n", "1", "--", "timeout", "30", "/bin/sh", "-c",
       "trap '' CHLD; exec \"$0\" run -n 2 -- grep SigIgn /proc/self/status", RONDO_TOOL});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(line_count(result.out), 2U) << result.out;
  // SIGCHLD is bit 16.
  const char* without = "SigIgn:.[0-9a-f]{11}[02468ace][0-9a-f]{4}\n";
  EXPECT_THAT(result.out, ContainsRegex(std::string(without) + ".*" + without));
}

TEST(Run, StandardStreamsClosed_ranksStillMeet) {
  for (const char* closed : {"<&-", ">&-", "<&- >&-", "<&- >&- 2>&-"}) {
    const auto result =
        run_to_end({"-n", "1", "--", "/bin/sh", "-c",
                    "\"$0\" run -n 2 -- \"$1\" --rounds 1 --timeout 20 " + std::string(closed),
                    RONDO_TOOL, RONDO_JOIN_WORLD});
    EXPECT_EQ(result.exit_code, 0) << closed << ": " << result.err;
  }
}

TEST(Run, Timeout_endsTheRun) {
  const auto result = run_to_end({"-n", "2", "--timeout", "0.2", "--", "sleep", "1000"});
  EXPECT_EQ(result.exit_code, 124);
  EXPECT_THAT(result.err, HasSubstr("0.2 s are over"));
}

TEST(Run, TwoAtATime_doNotMeet) {
  StartedRun one(
      shells(2, "echo job $RONDO_JOB at $RONDO_STORE; read line < /dev/null; sleep 0.5"));
  StartedRun other(shells(2, "echo job $RONDO_JOB at $RONDO_STORE; sleep 0.5"));
  const auto a = sorted_lines(one.finish().out);
  const auto b = sorted_lines(other.finish().out);
  ASSERT_EQ(a.size(), 2U);
  ASSERT_EQ(b.size(), 2U);
  EXPECT_EQ(a[0].substr(4), a[1].substr(4));
  const auto job = [](const std::string& line) { return line.substr(8, 16); };
  EXPECT_NE(job(a[0]), job(b[0]));
  EXPECT_NE(a[0].substr(a[0].find(" at ")), b[0].substr(b[0].find(" at ")));
}

TEST(Run, CommandLine_wrong_isOneLineAndCode2) {
  const std::vector<std::vector<std::string>> mistakes = {
      {"-n", "0", "--", "true"},
      {"-n", "-1", "--", "true"},
      {"-n", "4097", "--", "true"},
      {"-n", "two", "--", "true"},
      {"--", "true"},
      {"-n", "2"},
      {"-n", "2", "--"},
      {"-n", "2", "--timeout", "-1", "--", "true"},
      {"-n", "2", "--no-prefix", "--tag-output", "--", "true"},
  };
  for (const auto& words : mistakes) {
    const auto result = run_to_end(words);
    EXPECT_EQ(result.exit_code, 2) << testing::PrintToString(words);
    EXPECT_EQ(line_count(result.err), 1U) << result.err;
    EXPECT_THAT(result.err, testing::StartsWith("rondo run: "));
  }
}

TEST(Run, Program_cannotBeStarted_isOneLineThatNamesIt) {
  for (const auto& [program, code] :
       {std::pair{"no-such-program-of-rondo", 127}, {"./no/such/file", 127}, {"/", 126}}) {
    const auto result = run_to_end({"-n", "3", "--", program});
    EXPECT_EQ(result.exit_code, code) << program;
    EXPECT_EQ(line_count(result.err), 1U) << result.err;
    EXPECT_THAT(result.err, HasSubstr(std::string("cannot start '") + program + "'"));
  }
}

// The same store and join that every communicator uses, once over the whole way.
TEST(Run, Program_joinsItsWorld) {
  const auto result =
      run_to_end({"-n", "5", "--no-prefix", "--", RONDO_JOIN_WORLD, "--rounds", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "world of 15 joined 2 times by rondo run\n");
}

TEST(Run, Program_oneStaysAway_theOthersNameIt) {
  const auto result = run_to_end(
      {"-n", "3", "--no-prefix", "--", RONDO_JOIN_WORLD, "--absent", "1", "--timeout", "4"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("the world of 3 is not complete"));
  EXPECT_THAT(result.err, HasSubstr("process 1 has not joined"));
}

}  // namespace
}  // namespace rondo::tool
