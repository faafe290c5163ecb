// Every collective by every built-in algorithm by one kernel a rank, with blocks that are late in
// another way for each seed: the bits of the host. Each of the kernel's waits left out is missed.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tests/collectives/execute/device/connected_ranks.h"
#include "tests/collectives/execute/device/kernel_world.h"
#include "tests/collectives/execute/device/late_calls.h"

namespace rondo::execute {
namespace {

schedule::SharedLayout one_host(int world) {
  return std::make_shared<const schedule::HostLayout>(schedule::HostLayout::one_host(world));
}

bool all_as(const std::vector<Floats>& expected,
            const std::vector<std::optional<Floats>>& results) {
  return std::ranges::equal(results, expected);
}

class LateKernels : public testing::TestWithParam<const algorithms::Algorithm*> {};

// Call after call with the same letters.
TEST_P(LateKernels, HaveTheBitsOfTheHost) {
  constexpr int kSeeds = 3;
  for (const int world : {3, 4}) {
    auto ranks = connected<PlanRank>(transport::TransportKind::kInproc, world);
    // Steps of a tile or two a block; and of so many that the last go to whoever is free.
    for (const std::size_t segment_bytes : {BuiltInCall::kSegmentBytes, std::size_t{8192}}) {
      const BuiltInCall call(*GetParam(), one_host(world), world - 2, segment_bytes);
      const std::vector<Floats> expected = call.on_host();
      KernelWorld kernels(ranks, call);
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
        ASSERT_TRUE(all_as(expected, kernels.run({.seed = seed})))
            << call.text() << ", segments of " << segment_bytes << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, LateKernels, testing::ValuesIn(algorithms_of_devices()), name_of);

/// Whether some seed shows that the wait is missing, behind a call that waits, whose letters lie
/// there still.
bool is_missed(KernelWait wait) {
  constexpr std::uint64_t kSeeds = 200;
  constexpr int kWorld = 3;
  auto ranks = connected<PlanRank>(transport::TransportKind::kInproc, kWorld);
  const auto* ring = algorithms::find(schedule::Collective::kAllReduce, "ring");
  const BuiltInCall call(*ring, one_host(kWorld), 0);
  const std::vector<Floats> expected = call.on_host();
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    KernelWorld kernels(ranks, call);
    EXPECT_TRUE(all_as(expected, kernels.run({.seed = seed}))) << "seed " << seed;
    const auto results = kernels.run(
        {.seed = kSeeds + seed, .left_out = wait, .patience = std::chrono::milliseconds(1'000)});
    if (!all_as(expected, results)) return true;
  }
  return false;
}

TEST(LateKernelsWithoutTheWait, ForLetters_AreWrong) {
  EXPECT_TRUE(is_missed(KernelWait::kLetter));
}
TEST(LateKernelsWithoutTheWait, ForGoodbyes_AreWrong) {
  EXPECT_TRUE(is_missed(KernelWait::kGoodbye));
}
TEST(LateKernelsWithoutTheWait, ForOtherBlocks_AreWrong) {
  EXPECT_TRUE(is_missed(KernelWait::kBlocks));
}

/// Kernels whose hosts have given up, behind a call that was ended after `patience`, if any.
void expect_untouched(const char* algorithm, std::uint64_t seed,
                      std::optional<std::chrono::milliseconds> patience) {
  constexpr int kWorld = 3;
  auto ranks = connected<PlanRank>(transport::TransportKind::kInproc, kWorld);
  const auto* found = algorithms::find(schedule::Collective::kAllReduce, algorithm);
  const BuiltInCall call(*found, one_host(kWorld), 0);
  KernelWorld kernels(ranks, call);
  if (patience) kernels.run({.seed = seed, .patience = *patience});
  kernels.end_all();
  kernels.run({.seed = seed + 1});
  for (int rank = 0; rank < kWorld; ++rank)
    EXPECT_TRUE(kernels.is_untouched(rank)) << algorithm << ", rank " << rank << ", seed " << seed;
}

class KernelsGivenUp : public testing::TestWithParam<const char*> {};

// As where a stream stood still until then.
TEST_P(KernelsGivenUp, BeforeTheirTurn_TouchNothing) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) expect_untouched(GetParam(), seed, std::nullopt);
}

// As launches of a graph come one after the other, of which the first is ended on its way.
TEST_P(KernelsGivenUp, BehindOneThatWasEnded_TouchNothing) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    expect_untouched(GetParam(), seed, std::chrono::milliseconds(seed % 4));
}

INSTANTIATE_TEST_SUITE_P(, KernelsGivenUp, testing::Values("ring", "direct", "double_binary_tree"));

}  // namespace
}  // namespace rondo::execute
