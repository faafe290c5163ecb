#include "collectives/verify/explore.h"

#include <gtest/gtest.h>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fuse.h"

namespace rondo::verify {
namespace {

using schedule::BufferRole;
using schedule::Builder;
using schedule::Rank;
using schedule::Slice;

constexpr Slice kInput{BufferRole::kInput, 0};
constexpr Slice kOutput{BufferRole::kOutput, 0};

TEST(Explore, BuiltInAlgorithms_AreRightInEveryOrder) {
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    for (const int world : {1, 2, 3}) {
      std::vector<schedule::RankSchedule> plain;
      for (Rank rank = 0; rank < world; ++rank) {
        plain.push_back(algorithm.build(
            {algorithm.collective, world, rank, 0, algorithm.rows({.world = world}, 1)}));
      }
      const auto fused = schedule::fuse_world(plain);
      for (const bool lent : {false, true}) {
        for (const bool in_place : {false, true}) {
          EXPECT_EQ(explore(fused, {lent, in_place, 2}, {}), Verdict::kGood)
              << to_string(algorithm.collective) << " " << algorithm.name << ", world " << world;
        }
      }
    }
  }
}

/// Right unless a peer reads late: the input is overwritten while its send may be pending.
std::vector<schedule::FusedSchedule> hasty_world() {
  std::vector<schedule::FusedSchedule> world;
  for (Rank rank = 0; rank < 2; ++rank) {
    Builder b({.world = 2, .rank = rank});
    b.send(1 - rank, kInput);
    b.recv_reduce(1 - rank, kInput, kOutput, true);
    world.push_back(lower(std::move(b).finish()));
  }
  return world;
}

TEST(Explore, OverwrittenPendingSource_IsBadInSomeOrderOnly) {
  EXPECT_EQ(explore(hasty_world(), {.lent = false, .in_place = true, .credits = 1}, {}),
            Verdict::kGood);
  EXPECT_EQ(explore(hasty_world(), {.lent = true, .in_place = false, .credits = 1}, {}),
            Verdict::kGood);
  EXPECT_EQ(
      explore(hasty_world(), {.lent = true, .in_place = true, .credits = 1}, {.random_orders = 0}),
      Verdict::kBad);
}

TEST(Explore, TooManyStates_IsSaid) {
  EXPECT_EQ(explore(hasty_world(), {.lent = true, .in_place = false, .credits = 1}, {.states = 2}),
            Verdict::kSampled);
}

}  // namespace
}  // namespace rondo::verify
