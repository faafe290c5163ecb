#include "collectives/algorithms/registry.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace rondo::algorithms {
namespace {

using schedule::Collective;

TEST(Registry, EveryCollective_HasAnAlgorithm) {
  std::set<Collective> collectives;
  std::set<std::pair<Collective, std::string_view>> names;
  for (const Algorithm& algorithm : all()) {
    collectives.insert(algorithm.collective);
    names.emplace(algorithm.collective, algorithm.name);
    EXPECT_FALSE(algorithm.summary.empty());
  }
  EXPECT_EQ(collectives.size(), 9U);
  EXPECT_EQ(names.size(), all().size()) << "a name is unique within its collective";
}

TEST(Registry, Find_KnowsCollectiveAndName) {
  ASSERT_NE(find(Collective::kAllReduce, "ring"), nullptr);
  EXPECT_EQ(find(Collective::kAllReduce, "ring")->collective, Collective::kAllReduce);
  EXPECT_NE(find(Collective::kAllReduce, "ring"), find(Collective::kAllGather, "ring"));
  EXPECT_EQ(find(Collective::kBroadcast, "ring"), nullptr);
}

TEST(Registry, Build_KeepsTheRequestAndItsRows) {
  for (const Algorithm& algorithm : all()) {
    for (const int world : {1, 2, 5}) {
      const std::uint32_t rows = algorithm.rows({.world = world}, 1'000'000);
      const schedule::RankSchedule built =
          algorithm.build({algorithm.collective, world, world - 1, 0, rows});
      EXPECT_EQ(built.request.world, world);
      EXPECT_EQ(built.request.rows, rows);
      EXPECT_GE(built.lanes.size(), 1U);
      for (const std::uint32_t row : built.scratch_rows) EXPECT_LT(row, rows);
    }
  }
}

}  // namespace
}  // namespace rondo::algorithms
