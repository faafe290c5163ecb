// Ranks that may run anywhere: once they have met on one core behind a wait, those that wait for a
// late peer wake on another than it runs on, so that the calls behind it are as fast as ever.
// (Where the kernel finds them one, as on most machines that aren't virtual, nothing is left to
// do.)

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
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

/// Behind how many of the waits both were on one.
std::size_t rounds_on_one_core(const std::string& transport) {
  std::array<std::array<int, kRounds>, 2> cores{};
  spawn({.size = 2, .transport = transport}, [&](Communicator& rank) {
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
  return shared;
}

TEST_P(LatePeersCore, IsItsOwn_InTheCallsBehindAWait) {
  if (usable_cores(std::thread::hardware_concurrency(), read_cpu_quota()) < 2)
    GTEST_SKIP() << "there is one core for both";
  // Other programs want the cores, too, at times.
  std::size_t least = kRounds;
  for (int attempt = 0; attempt < 3 && least >= kRounds / 2; ++attempt)
    least = std::min(least, rounds_on_one_core(GetParam()));
  EXPECT_LT(least, kRounds / 2);
}
INSTANTIATE_TEST_SUITE_P(Transports, LatePeersCore, ::testing::Values("inproc", "shm", "tcp"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace rondo::testing
