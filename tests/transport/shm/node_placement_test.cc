// What this process shares lies on the NUMA node of its cores. CMakeLists.txt has hwloc see a
// machine of two nodes, of which the real one is the first, so that there is a choice on every
// machine.

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "core/numa.h"
#include "transport/shm/control_page.h"
#include "transport/shm/registered_pool.h"
#include "transport/shm/slot_file.h"

namespace rondo::transport {
namespace {

constexpr Slots kShape{.count = 4, .bytes = 65536};

/// "node 0" and so on, or why it isn't bound to one alone.
std::string placed(const std::byte* memory) {
  int mode = 0;
  unsigned long nodes[16] = {};
  const long got = ::syscall(SYS_get_mempolicy, &mode, nodes, sizeof(nodes) * 8, memory,
                             static_cast<unsigned long>(MPOL_F_ADDR));
  if (got != 0) return std::string("get_mempolicy: ") + std::strerror(errno);
  if (mode == MPOL_DEFAULT) return "wherever it is touched first";
  for (unsigned long node = 0; node < 64; ++node)
    if (nodes[0] == 1UL << node) return "node " + std::to_string(node);
  return "several nodes";
}

class NodePlacement : public testing::Test {
 protected:
  void SetUp() override {
    const auto node = nearest_node_of_this_thread();
    if (!node) GTEST_SKIP() << "this process's cores are on no node, or on several";
    node_ = "node " + std::to_string(*node);
    std::byte on_stack{};
    if (placed(&on_stack).starts_with("get_mempolicy")) GTEST_SKIP() << placed(&on_stack);
    ASSERT_NE(placed(&on_stack), node_) << "everything is placed there";
  }
  std::string node_;
};

TEST_F(NodePlacement, Slots_LieWithTheirOwner) {
  const auto file = SlotFile::create(3, kShape).value();
  for (int peer = 0; peer < 3; ++peer) EXPECT_EQ(placed(file.slots(peer).memory), node_) << peer;
}

TEST_F(NodePlacement, MessageLines_LieWithTheirOwner) {
  const auto page = ControlPage::create(3, kShape).value();
  for (int peer = 0; peer < 3; ++peer) {
    const auto* lines = reinterpret_cast<const std::byte*>(&page.channel(peer));
    EXPECT_EQ(placed(lines), node_) << peer;
  }
}

TEST_F(NodePlacement, RegisteredMemory_LiesWithWhoMadeIt) {
  RegisteredPool* const pool = RegisteredPool::instance().value();
  for (const std::size_t bytes : {std::size_t{10'000}, 2 * RegisteredPool::kExtentBytes}) {
    std::byte* const data = pool->allocate(bytes).value();
    EXPECT_EQ(placed(data), node_) << bytes;
    EXPECT_EQ(placed(data + bytes - 1), node_) << bytes;
    pool->free(data);
  }
}

}  // namespace
}  // namespace rondo::transport
