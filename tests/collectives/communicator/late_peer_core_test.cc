// Ranks that may run anywhere: once they have met on one core behind a wait, those that wait for a
// late peer wake on another than it runs on, so that the calls behind it are as fast as ever.
// (Where the kernel finds them one, as on most machines that aren't virtual, nothing is left to
// do.)

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "core/cgroup.h"
#include "core/topology.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr std::size_t kRounds = 40;

class LatePeersCore : public ::testing::TestWithParam<std::string> {};

TEST_P(LatePeersCore, IsItsOwn_InTheCallsBehindAWait) {
  if (usable_cores(std::thread::hardware_concurrency(), read_cpu_quota()) < 2)
    GTEST_SKIP() << "there is one core for both";
  std::array<std::array<int, kRounds>, 2> cores{};
  spawn({.size = 2, .transport = GetParam()}, [&](Communicator& rank) {
    for (std::size_t round = 0; round < kRounds; ++round) {
      if (rank.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(15));
      float value = 1;
      rank.all_reduce({&value, 1});
      rank.barrier();
      cores.at(static_cast<std::size_t>(rank.rank())).at(round) = ::sched_getcpu();
    }
  });
  std::size_t shared = 0;
  for (std::size_t round = 0; round < kRounds; ++round)
    if (cores[0].at(round) == cores[1].at(round)) ++shared;
  EXPECT_LT(shared, kRounds / 2);
}

INSTANTIATE_TEST_SUITE_P(Transports, LatePeersCore, ::testing::Values("inproc", "shm", "tcp"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace rondo::testing
