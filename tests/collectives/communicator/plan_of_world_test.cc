// `rondo plan` says what a world without a tuning chooses, also where its ranks share cores.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "rondo/plan.h"
#include "tests/collectives/communicator/few_cores.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr Collective kCollectives[] = {Collective::kAllReduce, Collective::kReduce,
                                       Collective::kBroadcast, Collective::kAllGather};
constexpr std::size_t kBytes[] = {8, 1024, 4096, 16'384, 65'536, 1 << 20};

/// Of calls whose larger buffer has so many bytes.
std::string chosen_by(Communicator& rank, Collective collective, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(float);
  std::vector<float> in(count, 0.5F);
  std::vector<float> out(count);
  switch (collective) {
    case Collective::kReduce: rank.reduce({in.data(), count}, {out.data(), count}, 0); break;
    case Collective::kBroadcast: rank.broadcast({out.data(), count}, 0); break;
    case Collective::kAllGather:
      rank.all_gather({in.data(), count / static_cast<std::size_t>(rank.size())},
                      {out.data(), count});
      break;
    default: rank.all_reduce({out.data(), count});
  }
  return std::string(rank.last_call().algorithm);
}

class PlanOfWorld : public ::testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(PlanOfWorld, IsWhatItChooses) {
  const auto [ranks, cores] = GetParam();
  const FewCores few(cores);
  if (few.cores() < cores) GTEST_SKIP() << "there are " << few.cores() << " cores";
  const std::string network =
      fmt::format(R"({{"hosts": [{{"ranks": {}, "cores": {}}}]}})", ranks, cores);
  spawn({.size = ranks, .transport = "shm"}, [&](Communicator& rank) {
    for (const Collective collective : kCollectives) {
      for (std::size_t bytes : kBytes) {
        // An all-gather's parts are whole floats.
        bytes -= bytes % (sizeof(float) * static_cast<std::size_t>(rank.size()));
        if (bytes == 0) continue;
        const std::string chosen = chosen_by(rank, collective, bytes);
        if (rank.rank() != 0) continue;
        const PlanReport plan =
            explain_plan({.collective = collective, .bytes = bytes, .network = network});
        EXPECT_EQ(plan.algorithm, chosen) << to_string(collective) << " of " << bytes << " bytes";
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(RanksOnCores, PlanOfWorld,
                         ::testing::Values(std::tuple(2, 2), std::tuple(2, 1), std::tuple(3, 2),
                                           std::tuple(4, 2), std::tuple(4, 1)));

}  // namespace
}  // namespace rondo::testing
