// Random programs by a world of processes, to be started by a launcher, over the transport and by
// the algorithm that the environment says. Rank 0 draws the programs' seeds.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>

#include "rondo/communicator.h"
#include "tests/collectives/communicator/own_device.h"
#include "tests/collectives/communicator/random_program.h"
#include "tests/fuzz_trials.h"

namespace rondo::testing {
namespace {

constexpr int kPrograms = 30;

/// The next program's seed, the same on all ranks; none after the last.
std::optional<std::uint64_t> next_seed(Communicator& world, FuzzTrials* trials) {
  std::array<std::uint64_t, 2> next = {};
  if (trials != nullptr && trials->next()) next = {1, trials->random()()};
  world.broadcast({next.data(), next.size()}, 0);
  if (next[0] == 0) return std::nullopt;
  return next[1];
}

TEST(RandomPrograms, OfProcesses_AreRightOnEveryRank) {
  Communicator world = Communicator::create({}, own_device());
  std::unique_ptr<FuzzTrials> trials;
  if (world.rank() == 0) trials = std::make_unique<FuzzTrials>(kPrograms);
  int programs = 0;
  while (const auto seed = next_seed(world, trials.get())) {
    const bool on_host = world.device().kind == DeviceKind::kHost;
    const std::uint64_t digest = run_program(
        world, {.seed = *seed, .steps = on_host ? 60 : 25, .messages = on_host, .split = true});
    // The smallest of x and of -x are each other's negative only where all are equal.
    std::array<std::int64_t, 2> least = {static_cast<std::int64_t>(digest >> 1),
                                         -static_cast<std::int64_t>(digest >> 1)};
    world.all_reduce({least.data(), least.size(), DataType::kI64, Device::host()}, ReduceOp::kMin);
    EXPECT_EQ(least[0], -least[1]) << "ranks differ";
    ++programs;
  }
  EXPECT_GE(programs, kPrograms);
  std::printf("random programs done: rank %d of %d\n", world.rank(), world.size());
}

}  // namespace
}  // namespace rondo::testing
