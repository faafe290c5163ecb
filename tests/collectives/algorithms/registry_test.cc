#include "collectives/algorithms/registry.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

schedule::Request with_rows(const Algorithm& algorithm, schedule::Request request) {
  request.rows = algorithm.rows(request, 1'000'000);
  return request;
}

TEST(Registry, RowsOfPairs_HaveNumbersInWorldsBelow65536) {
  for (const char* name : {"pairwise", "direct", "bruck"}) {
    const Algorithm& algorithm = *find(Collective::kAllToAll, name);
    const schedule::Request largest = with_rows(algorithm, {.world = 65'535});
    EXPECT_EQ(largest.rows, 65'535U * 65'535U);
    EXPECT_TRUE(check_rows(algorithm, largest).ok());
    for (const int world : {65'536, 65'537, 1'048'576}) {
      const Status status = check_rows(algorithm, with_rows(algorithm, {.world = world}));
      EXPECT_EQ(status.code(), ErrorCode::kUnsupported) << world;
      EXPECT_EQ(status.message().find("all_to_all of " + std::to_string(world) + " ranks by"), 0U)
          << status.message();
    }
  }
}

TEST(Registry, RowsOfAHierarchy_HaveNumbersOrAreRefused) {
  // As many rows on each host as the host with most ranks has.
  std::vector<int> host_of(65'536 + 65'537, 65'536);
  std::iota(host_of.begin(), host_of.begin() + 65'536, 0);
  const Algorithm& hierarchical = *find(Collective::kAllReduce, "hierarchical");
  schedule::Request request{.world = static_cast<int>(host_of.size())};
  request.layout = std::make_shared<const schedule::HostLayout>(host_of);
  EXPECT_EQ(check_rows(hierarchical, with_rows(hierarchical, request)).code(),
            ErrorCode::kUnsupported);
  const Algorithm& ring = *find(Collective::kAllReduce, "ring");
  EXPECT_TRUE(check_rows(ring, with_rows(ring, request)).ok());
}

}  // namespace
}  // namespace rondo::algorithms
