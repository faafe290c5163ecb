// Whole jobs of real processes, started by `rondo run`: they come up, they find their transports,
// and when a rank dies everybody else says who it was. Other launchers: mpirun_test.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include "core/unique_fd.h"
#include "tests/launch/killing.h"
#include "tests/launch/shell.h"

namespace rondo::launch {
namespace {

using ::testing::HasSubstr;

TEST(RondoRun, FourRanks_SumIsRight) {
  const Outcome outcome = shell(rondo_run(4, "sum"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(outcome.output,
                HasSubstr("rank " + std::to_string(rank) + " of 4: sum 7.00 over shm"));
  }
}

TEST(RondoRun, TcpForced_SumIsRight) {
  const Outcome outcome = shell("RONDO_TRANSPORT=tcp " + rondo_run(3, "sum"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("rank 2 of 3: sum 3.75 over tcp"));
}

int free_port() {
  const UniqueFd taken(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof name;
  EXPECT_EQ(bind(taken.get(), reinterpret_cast<sockaddr*>(&name), bytes), 0);
  getsockname(taken.get(), reinterpret_cast<sockaddr*>(&name), &bytes);
  return ntohs(name.sin_port);
}

// Unlike under `rondo run`, process 0 makes the socket that the store listens on.
TEST(NoLauncher, VariablesSetByHand_SumIsRight) {
  const Outcome outcome = shell(
      "export RONDO_WORLD=2 RONDO_JOB=c0ffee RONDO_STORE=127.0.0.1:" + std::to_string(free_port()) +
      "; RONDO_RANK=1 " + RANK_PROGRAM + " sum & RONDO_RANK=0 " + RANK_PROGRAM + " sum; wait");
  EXPECT_THAT(outcome.output, HasSubstr("rank 0 of 2: sum 1.50 over shm"));
  EXPECT_THAT(outcome.output, HasSubstr("rank 1 of 2: sum 1.50 over shm"));
}

TEST(NoLauncher, WorldOfOne_IsIdentity) {
  const Outcome outcome = shell(std::string(RANK_PROGRAM) + " sum");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("rank 0 of 1: sum 0.25"));
}

class Killed : public ::testing::TestWithParam<Killing> {};

TEST_P(Killed, OneRank_AllOthersNameItInTime) { expect_others_name_the_killed(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Ways, Killed,
    ::testing::Values(
        Killing{"shm", "RONDO_TRANSPORT=shm", "killed 2"},
        Killing{"tcp", "RONDO_TRANSPORT=tcp", "killed 2"},
        Killing{"in_split_shm", "RONDO_TRANSPORT=shm", "killed_in_split 2"},
        Killing{"in_split_tcp", "RONDO_TRANSPORT=tcp", "killed_in_split 2"},
        Killing{"between_started_calls_shm", "RONDO_TRANSPORT=shm", "killed_between 2"},
        Killing{"between_started_calls_tcp", "RONDO_TRANSPORT=tcp", "killed_between 2"},
        Killing{"ring_of_devices", "RONDO_ALGO=ring", "killed_on_device 2"},
        Killing{"direct_between_devices", "RONDO_ALGO=direct", "killed_on_device 2"},
        Killing{"behind_hosts_of_devices", "RONDO_ALGO=ring", "killed_behind_hosts 2"}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

// Its peers' streams wait for it, too, and are given up with the call.
TEST(RondoRun, RankThatStandsStillInACallOnDevices_IsNoticedByTheDeadline) {
  expect_others_notice_the_stopped("RONDO_ALGO=ring");
}

TEST(RondoRun, RanksThatAreGoneAfterTheirCallOnDevices_LeaveTheOthersWhole) {
  for (int round = 0; round < 20; ++round) {
    const Outcome outcome = shell(rondo_run(3, "once_on_device"));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    for (const char* line :
         {"rank 0 of 3: got 2.25", "rank 1 of 3: got 2.25", "rank 2 of 3: got 2.25"}) {
      EXPECT_THAT(outcome.output, HasSubstr(line));
    }
  }
}

TEST(RondoRun, ForkedChildThatEndsInOrder_LeavesTheWorldWhole) {
  for (const std::string transport : {"shm", "tcp"}) {
    const Outcome outcome = shell("RONDO_TRANSPORT=" + transport + " " + rondo_run(3, "forks 1"));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr("the child ended with 0"));
    for (int rank = 0; rank < 3; ++rank) {
      const std::string line = "rank " + std::to_string(rank) + " of 3: sum 3.75 over ";
      EXPECT_THAT(outcome.output, HasSubstr(line + transport));
    }
  }
}

TEST(RondoRun, RankExits_OthersNameItAndItsCodeIsReturned) {
  const Outcome outcome = shell(rondo_run(3, "exit 1 42"));
  EXPECT_EQ(outcome.exit_code, 42) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("[0] culprit 1: PeerLost"));
  EXPECT_THAT(outcome.output, HasSubstr("[2] culprit 1: PeerLost"));
}

TEST(RondoRun, RankNeverJoins_IsNamed) {
  const Outcome outcome = shell("RONDO_JOIN_TIMEOUT_MS=3000 " + rondo_run(4, "absent 3"));
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("rank 3"));
  EXPECT_THAT(outcome.output, HasSubstr("not complete"));
}

TEST(RondoRun, RankJoinsAfterTheOthersHaveTimedOut_TheirNextTryMeetsIt) {
  std::string folder = (std::filesystem::temp_directory_path() / "rondo_late_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const Outcome outcome = shell("RONDO_JOIN_TIMEOUT_MS=20000 " + rondo_run(3, "late 2 " + folder));
  std::filesystem::remove_all(folder);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  for (const char* line :
       {"[0] first try: ", "[1] first try: ", "it may be tried again", "rank 0 of 3: sum 3.75",
        "rank 1 of 3: sum 3.75", "rank 2 of 3: sum 3.75"}) {
    EXPECT_THAT(outcome.output, HasSubstr(line));
  }
}

TEST(RondoRun, TwoJobsAtOnce_DontMeet) {
  Outcome first;
  std::thread other([&first] { first = shell(rondo_run(3, "sum")); });
  const Outcome second = shell(rondo_run(2, "sum"));
  other.join();
  EXPECT_THAT(first.output, HasSubstr("rank 2 of 3: sum 3.75"));
  EXPECT_THAT(second.output, HasSubstr("rank 1 of 2: sum 1.50"));
}

}  // namespace
}  // namespace rondo::launch
