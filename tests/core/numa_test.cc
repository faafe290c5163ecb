#include "core/numa.h"

#include <gtest/gtest.h>
#include <hwloc.h>
#include <sys/mman.h>

#include <algorithm>

#include "core/machine.h"

namespace rondo {
namespace {

const std::vector<NumaNode> kTwoNodes = {{0, {0, 1, 4, 5}}, {3, {2, 3, 6, 7}}};

TEST(NearestNode, CoresOfOneNode_IsThatByTheSystemsNumber) {
  EXPECT_EQ(nearest_node(std::vector{0, 5}, kTwoNodes), 0);
  EXPECT_EQ(nearest_node(std::vector{7}, kTwoNodes), 3);
}

TEST(NearestNode, CoresOfSeveralNodes_IsNone) {
  EXPECT_EQ(nearest_node(std::vector{1, 2}, kTwoNodes), std::nullopt);
  EXPECT_EQ(nearest_node(std::vector{99}, kTwoNodes), std::nullopt);
  EXPECT_EQ(nearest_node(std::vector<int>{}, kTwoNodes), std::nullopt);
}

TEST(NearestNode, OnlyOneNode_IsNothingToChoose) {
  EXPECT_EQ(nearest_node(std::vector{0}, std::span(kTwoNodes).first(1)), std::nullopt);
}

/// Memory that others share, as registered memory is.
class PreferNode : public testing::Test {
 protected:
  static constexpr std::size_t kBytes = std::size_t{64} * 4096;
  PreferNode()
      : memory_(static_cast<std::byte*>(
            ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  ~PreferNode() override { ::munmap(memory_, kBytes); }
  std::byte* memory_;
};

TEST_F(PreferNode, Pages_LieThereAndAreAskedFor) {
  const auto topology = read_topology();
  ASSERT_TRUE(topology.ok());
  const int node = topology->numa_nodes.front().index;
  std::fill_n(memory_, kBytes, std::byte{1});
  const Status status = prefer_node(memory_, kBytes, node);
  ASSERT_TRUE(status.ok()) << status.to_string();
  const auto machine = load_machine();
  ASSERT_TRUE(machine.ok());
  hwloc_bitmap_t set = hwloc_bitmap_alloc();
  hwloc_membind_policy_t policy = HWLOC_MEMBIND_DEFAULT;
  ASSERT_EQ(hwloc_get_area_membind(machine->get(), memory_, kBytes, set, &policy,
                                   HWLOC_MEMBIND_BYNODESET),
            0);
  EXPECT_NE(policy, HWLOC_MEMBIND_FIRSTTOUCH) << "nobody has asked for a node";
  EXPECT_EQ(hwloc_bitmap_first(set), node);
  EXPECT_EQ(hwloc_bitmap_weight(set), 1);
  ASSERT_EQ(
      hwloc_get_area_memlocation(machine->get(), memory_, kBytes, set, HWLOC_MEMBIND_BYNODESET), 0);
  EXPECT_EQ(hwloc_bitmap_first(set), node);
  hwloc_bitmap_free(set);
  EXPECT_EQ(memory_[kBytes - 1], std::byte{1});
}

TEST_F(PreferNode, LessThanAPage_IsLeftAlone) {
  EXPECT_TRUE(prefer_node(memory_ + 1, 4095, 0).ok());
  EXPECT_TRUE(prefer_node(memory_ + 100, 0, 0).ok());
}

TEST_F(PreferNode, NodeThatIsNotThere_IsAnError) {
  const Status status = prefer_node(memory_, kBytes, 4711);
  EXPECT_EQ(status.code(), ErrorCode::kSystem);
  EXPECT_NE(status.message().find("NUMA node 4711"), std::string::npos) << status.to_string();
}

}  // namespace
}  // namespace rondo
