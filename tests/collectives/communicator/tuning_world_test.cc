#include "collectives/communicator/tuning_world.h"

#include <gtest/gtest.h>

#include <vector>

namespace rondo::communicator {
namespace {

using transport::RankInfo;

/// Host "a" has the first alone.
const std::vector<RankInfo> kOneAndTwo = {{.process = 0, .host_identity = "a"},
                                          {.process = 1, .host_identity = "b"},
                                          {.process = 2, .host_identity = "b"}};

TEST(TuningWorld, ATransport_IsThatOfAllPairs) {
  EXPECT_EQ(transport_of_pairs(kOneAndTwo, "auto"), "mixed") << "rank 0 sees tcp alone";
  EXPECT_EQ(transport_of_pairs(kOneAndTwo, "tcp"), "tcp");
  std::vector<RankInfo> ranks = kOneAndTwo;
  ranks.pop_back();
  EXPECT_EQ(transport_of_pairs(ranks, "auto"), "tcp");
  ranks = kOneAndTwo;
  ranks.erase(ranks.begin());
  EXPECT_EQ(transport_of_pairs(ranks, "auto"), "shm");
  ranks[1].process = ranks[0].process;
  EXPECT_EQ(transport_of_pairs(ranks, "auto"), "inproc");
  ranks.push_back({.process = 7, .host_identity = "b"});
  EXPECT_EQ(transport_of_pairs(ranks, "auto"), "mixed") << "inside of a process and between two";
  EXPECT_EQ(transport_of_pairs(ranks, "shm"), "shm");
}

TEST(TuningWorld, CoresOfAHost_AreThoseOfAllItsRanks) {
  std::vector<RankInfo> ranks = kOneAndTwo;
  ranks[0].cores = {0, 1, 2, 3};
  ranks[1].cores = {0, 1};
  ranks[2].cores = {1, 5};
  EXPECT_EQ(cores_of_hosts(ranks), (std::vector<std::size_t>{4, 3, 3}));
}

}  // namespace
}  // namespace rondo::communicator
