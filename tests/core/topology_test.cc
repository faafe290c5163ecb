#include "core/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

namespace rondo {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(UsableCores, quotaBelowTheCores_isRoundedDownToAtLeastOne) {
  EXPECT_EQ(usable_cores(8, std::nullopt), 8);
  EXPECT_EQ(usable_cores(8, 16.0), 8);
  EXPECT_EQ(usable_cores(8, 8.0), 8);
  EXPECT_EQ(usable_cores(8, 2.9), 2);
  EXPECT_EQ(usable_cores(8, 0.25), 1);
  EXPECT_EQ(usable_cores(0, std::nullopt), 1);
}

std::vector<int> affinity_mask() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  EXPECT_EQ(::sched_getaffinity(0, sizeof(mask), &mask), 0);
  std::vector<int> cores;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask)) cores.push_back(static_cast<int>(core));
  }
  return cores;
}

TEST(Topology, cores_areThoseOfTheAffinityMask) {
  const Topology topology = read_topology().value();
  EXPECT_THAT(topology.cores, ElementsAreArray(affinity_mask()));
  EXPECT_GE(usable_cores(topology.cores.size(), topology.cpu_quota), 1);
  EXPECT_EQ(*cores_of_this_thread(), topology.cores);
}

TEST(Topology, numaNodes_shareOutTheCores) {
  const Topology topology = read_topology().value();
  ASSERT_THAT(topology.numa_nodes, Not(IsEmpty()));
  std::vector<int> cores;
  for (const NumaNode& node : topology.numa_nodes) {
    cores.insert(cores.end(), node.cores.begin(), node.cores.end());
  }
  std::ranges::sort(cores);
  EXPECT_THAT(cores, ElementsAreArray(topology.cores));
}

TEST(BindCurrentThread, oneOfTheCores_movesOnlyThisThread) {
  const std::vector<int> before = affinity_mask();
  std::vector<int> bound;
  std::thread([&] {
    const Status status = bind_current_thread(before.back());
    EXPECT_TRUE(status.ok()) << status.to_string();
    bound = affinity_mask();
  }).join();
  EXPECT_THAT(bound, ElementsAreArray({before.back()}));
  EXPECT_EQ(affinity_mask(), before);
}

TEST(BindCurrentThread, foreignCore_isInvalidAndNamesTheUsableOnes) {
  const int usable = affinity_mask().front();
  for (const int core : {-1, 100'000}) {
    const Status status = bind_current_thread(core);
    EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument) << core;
    EXPECT_THAT(status.message(), HasSubstr(std::to_string(usable)));
  }
}

}  // namespace
}  // namespace rondo
