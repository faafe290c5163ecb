// Whole jobs of real processes, started by the launchers of others: Open MPI's and MPICH's mpirun
// (by their own names, for the alternatives of Debian decide what plain `mpirun` is) and srun.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <regex>
#include <set>
#include <string>

#include "tests/launch/reporters.h"
#include "tests/launch/shell.h"

namespace rondo::launch {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Launcher {
  std::string name;
  std::string start;  ///< the command line up to the number of ranks
  std::string package;

  friend std::ostream& operator<<(std::ostream& out, const Launcher& launcher) {
    return out << launcher.start;
  }
};

const Launcher kOpenMpi = {"OpenMpi", "mpirun.openmpi --allow-run-as-root --oversubscribe -n",
                           "openmpi-bin"};
const Launcher kMpich = {"Mpich", "mpirun.mpich -n", "mpich"};
const Launcher kMpichPort = {"MpichPort", "mpirun.mpich -pmi-port -n", "mpich"};
const Launcher kSrunPmi2 = {"SrunPmi2", "srun --mpi=pmi2 --overcommit -n", "slurm-client"};
const Launcher kSrunPmix = {"SrunPmix", "srun --mpi=pmix --overcommit -n", "slurm-client"};

/// Why `launcher` can't be tried here; empty: it can.
std::string what_is_missing(const Launcher& launcher) {
  const std::string command = launcher.start.substr(0, launcher.start.find(' '));
  if (!have_command(command)) {
    return command + " is not installed (apt package " + launcher.package + ")";
  }
  if (command != "srun") return {};
  const Outcome trial = shell("timeout 20 " + launcher.start + " 1 true");
  if (trial.exit_code == 0) return {};
  return "no Slurm answers here (tests/launch/slurm-here makes one): " + trial.output;
}

Outcome start(const Launcher& launcher, int ranks, const std::string& program,
              const std::string& environment = "") {
  return shell(fmt::format("{} timeout 60 {} {} {}", environment, launcher.start, ranks, program));
}

std::string rank_program(const std::string& arguments) {
  return std::string(RANK_PROGRAM) + " " + arguments;
}

/// A shell as each rank: `body` with the rank's number in $RANK.
std::string script(const std::string& body) {
  return "sh -c 'RANK=${PMI_RANK:-$SLURM_PROCID}; " + body + "'";
}

class Started : public testing::TestWithParam<Launcher> {
 protected:
  void SetUp() override {
    const std::string missing = what_is_missing(GetParam());
    if (!missing.empty()) GTEST_SKIP() << missing;
  }
};

TEST_P(Started, FourRanks_sumIsRight) {
  const Outcome outcome = start(GetParam(), 4, rank_program("sum"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_THAT(outcome.output, HasSubstr(fmt::format("rank {} of 4: sum 7.00 over shm", rank)));
  }
}

TEST_P(Started, TcpForced_sumIsRight) {
  const Outcome outcome = start(GetParam(), 3, rank_program("sum"), "RONDO_TRANSPORT=tcp");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("rank 2 of 3: sum 3.75 over tcp"));
}

TEST_P(Started, SecondWorldOfTheSameProcesses_sumIsRight) {
  const Outcome outcome = start(GetParam(), 3, rank_program("again"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("rank 2 of 3: sum 3.75 over shm, again 3.75"));
}

TEST_P(Started, OneRank_isAWorldOfOne) {
  const Outcome outcome = start(GetParam(), 1, rank_program("sum"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("rank 0 of 1: sum 0.25"));
}

TEST_P(Started, Benchmark_isRight) {
  for (const char* collective : {"all_reduce -N 2", "all_to_all", "barrier"}) {
    const Outcome outcome = start(
        GetParam(), 4, std::string(RONDO_TOOL) + " bench " + collective + " -e 64K -f 8 -n 5");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, HasSubstr(": 4 rank(s)"));
    EXPECT_THAT(outcome.output, HasSubstr("Out of bounds values : 0 OK"));
  }
}

TEST_P(Started, BenchmarkThatIsRefused_endsWithItsExitCode) {
  const Outcome outcome = start(GetParam(), 2, std::string(RONDO_TOOL) + " bench broadcast -r 2");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("-r 2: there are 2 ranks, from 0"));
}

TEST_P(Started, RankKilled_jobEnds) {
  const auto before = shared_memory_files();
  Outcome outcome = start(GetParam(), 3, rank_program("killed 1"));
  // Open MPI 4.1.4's mpirun itself, now and then, doesn't end once a job has failed, though both
  // ranks that are left have.
  const std::regex named("culprit 1: PeerLost: ");
  const auto ended =
      std::distance(std::sregex_iterator(outcome.output.begin(), outcome.output.end(), named),
                    std::sregex_iterator());
  if (outcome.exit_code == 124 && GetParam().name == kOpenMpi.name && ended == 2)
    outcome = start(GetParam(), 3, rank_program("killed 1"));
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.exit_code, 124) << "it did not end: " << outcome.output;
  EXPECT_EQ(shared_memory_files(), before);
}

INSTANTIATE_TEST_SUITE_P(Launchers, Started,
                         testing::Values(kOpenMpi, kMpich, kMpichPort, kSrunPmi2, kSrunPmix),
                         [](const auto& launcher) { return launcher.param.name; });

/// What launchers that speak PMI-1 have in common.
using StartedByPmi = Started;

// Hydra kills the other ranks as soon as one of its own children is killed, whatever it is told:
// here its children are shells that stay a little longer.
TEST_P(StartedByPmi, RankKilled_othersNameItInTime) {
  const Outcome outcome =
      start(GetParam(), 4, script(rank_program("killed 2") + " | sed \"s/^/[$RANK] /\"; sleep 2"));
  EXPECT_EQ(reporters_of(2, outcome.output), (std::set<std::string>{"0", "1", "3"}))
      << outcome.output;
}

TEST_P(StartedByPmi, RankExits_othersNameIt) {
  const Outcome outcome = start(GetParam(), 3, rank_program("exit 1 42"));
  EXPECT_NE(outcome.exit_code, 0);
  const std::regex named("culprit 1: PeerLost: ");
  EXPECT_EQ(std::distance(std::sregex_iterator(outcome.output.begin(), outcome.output.end(), named),
                          std::sregex_iterator()),
            2)
      << outcome.output;
}

TEST_P(StartedByPmi, RankNeverJoins_isATimeoutThatNamesTheLauncher) {
  const Outcome outcome =
      start(GetParam(), 3, script("test $RANK = 1 && exit 0; exec " + rank_program("sum")),
            "RONDO_JOIN_TIMEOUT_MS=3000");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.exit_code, 124) << "it did not end: " << outcome.output;
  const bool mpich = GetParam().package == "mpich";
  EXPECT_THAT(outcome.output,
              HasSubstr(std::string("Timeout: not every process of the job has come to the ") +
                        "barrier of " + (mpich ? "MPICH's mpirun" : "srun") + " (PMI_FD="));
  EXPECT_THAT(outcome.output, Not(HasSubstr("sum")));
}

INSTANTIATE_TEST_SUITE_P(Launchers, StartedByPmi, testing::Values(kMpich, kSrunPmi2),
                         [](const auto& launcher) { return launcher.param.name; });

TEST(Mpich, Info_namesTheLauncher) {
  if (const auto missing = what_is_missing(kMpich); !missing.empty()) GTEST_SKIP() << missing;
  const Outcome outcome = start(kMpich, 2, std::string(RONDO_TOOL) + " info");
  EXPECT_THAT(outcome.output, testing::ContainsRegex("PMI-1, MPICH's mpirun .PMI_FD=[0-9]+. "
                                                     ".process 1 of 2."));
}

// What speaks PMI with the ranks is their parent, Hydra's proxy: here rank 1 kills it.
TEST(Mpich, LauncherKilledWhileRanksJoin_isAnErrorThatNamesIt) {
  if (const auto missing = what_is_missing(kMpich); !missing.empty()) GTEST_SKIP() << missing;
  const auto file =
      std::filesystem::temp_directory_path() / fmt::format("rondo-launch-{}", getpid());
  start(kMpich, 2,
        script(fmt::format("if test $RANK = 0; then exec {} > {} 2>&1; fi; sleep 3; "
                           "grep -q hydra_pmi_proxy /proc/$PPID/comm && kill -9 $PPID",
                           rank_program("sum"), file.string())));
  std::string said;
  for (int i = 0; i < 100 && said.empty(); ++i) {
    usleep(50'000);
    std::ifstream in(file);
    said.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::filesystem::remove(file);
  EXPECT_THAT(said, HasSubstr("System: lost the launcher, MPICH's mpirun (PMI_FD="));
  EXPECT_THAT(said, HasSubstr("it has closed the connection"));
}

TEST(Srun, WithoutPmi_saysWhatToDo) {
  if (const auto missing = what_is_missing(kSrunPmi2); !missing.empty()) GTEST_SKIP() << missing;
  const Launcher none = {"SrunNone", "srun --mpi=none --overcommit -n", "slurm-client"};
  const Outcome outcome = start(none, 2, rank_program("sum"));
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("started by srun as process 1 of 2"));
  EXPECT_THAT(outcome.output, HasSubstr("use `srun --mpi=pmix` or `srun --mpi=pmi2`"));
}

}  // namespace
}  // namespace rondo::launch
