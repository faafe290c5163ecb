// Every collective by every built-in algorithm on emulated devices of one process, whose streams
// run late in another way for each seed: the bits of the host. Ranks of two hosts meet in
// page-locked memory.

#include "tests/collectives/execute/device/late_places.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/device/emulated/emulated.h"
#include "tests/collectives/execute/device/late_calls.h"
#include "tests/collectives/execute/device/late_rank.h"

namespace rondo::execute {
namespace {

class LatePlaces : public testing::TestWithParam<const algorithms::Algorithm*> {
 protected:
  void check_way(LateWay way) const {
    const std::string why = why_skipped(*GetParam(), way);
    if (!why.empty()) GTEST_SKIP() << why;
    for (const schedule::SharedLayout& layout : layouts_of(way)) {
      std::vector<LateRank> ranks = connected_places(layout);
      for (const LateCall& late : late_calls(*GetParam(), way, layout)) {
        const auto driver = late_driver(late.seed, 0);
        const auto results = run_late(ranks, late, *driver);
        for (std::size_t i = 0; i < results.size(); ++i)
          check(late, static_cast<int>(i), results[i]);
        if (HasFailure()) return;
      }
    }
  }
};

TEST_P(LatePlaces, OfOneHost_HaveTheBitsOfTheHost) { check_way(LateWay::kPlacesOfOneHost); }
TEST_P(LatePlaces, OfTwoHosts_HaveTheBitsOfTheHost) { check_way(LateWay::kPlacesOfTwoHosts); }

INSTANTIATE_TEST_SUITE_P(, LatePlaces, testing::ValuesIn(algorithms_of_devices()), name_of);

/// Whether some seed shows that the wait is missing: with ranks on hosts of their own, and pauses
/// that are long beside what it takes the hosts to meet.
bool is_missed(DeviceWait wait) {
  constexpr int kSeeds = 200;
  const auto layout = std::make_shared<const schedule::HostLayout>(std::vector<int>{0, 1, 2});
  const auto* ring = algorithms::find(schedule::Collective::kAllReduce, "ring");
  LateCall late{.call = std::make_shared<const BuiltInCall>(*ring, layout, 0),
                .expected = {},
                .manner = {.in_place = true}};
  late.expected = late.call->on_host();
  std::vector<LateRank> ranks = connected_places(layout);
  for (late.seed = 0; late.seed < kSeeds; ++late.seed) {
    const auto driver = device::make_emulated_driver(
        {.memory_bytes = std::size_t{1} << 20,
         .lateness = {.seed = static_cast<std::uint64_t>(late.seed), .longest_us = 1'000}});
    const auto results = run_late(ranks, late, *driver, wait);
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_TRUE(results[i].ok()) << results[i].status().to_string();
      if (results[i].ok() && *results[i] != late.expected[i]) return true;
    }
  }
  return false;
}

TEST(LatePlacesWithoutTheWait, ForWhatIsSent_AreWrong) {
  EXPECT_TRUE(is_missed(DeviceWait::kPayload));
}
TEST(LatePlacesWithoutTheWait, ForTheSlotToBeFilled_AreWrong) {
  EXPECT_TRUE(is_missed(DeviceWait::kCopied));
}
TEST(LatePlacesWithoutTheWait, ForTheSlotToBeRead_AreWrong) {
  EXPECT_TRUE(is_missed(DeviceWait::kRead));
}

}  // namespace
}  // namespace rondo::execute
