// Calls on emulated devices as a profiler of the devices would show them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/device/driver.h"
#include "core/device/emulated/emulated.h"
#include "rondo/device.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::HasSubstr;

std::vector<device::EmulatedRange> ranges() {
  return device::ranges_of(*device::driver_of(DeviceKind::kEmulated).value());
}

TEST(Profiled, EachCallOfEachRank_IsARangeOfItsName_AlsoOneThatFails) {
  ASSERT_TRUE(ranges().empty());
  auto ranks =
      make_world({.size = 2, .algorithm = "ring", .device = Device::emulated(0), .devices = 2});
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    Memory<float> memory(rank.device(), 7, false);
    memory.write(0, std::vector<float>(7, 1));
    rank.all_reduce(memory.buffer(0, 7), ReduceOp::kMax);
    EXPECT_EQ(memory.read(0, 7).front(), 1);
    rank.broadcast(memory.buffer(0, rank.rank() == 0 ? 7U : 5U), 0);
  });
  EXPECT_THAT(errors, ::testing::Each(HasSubstr("Mismatch")));
  const auto seen = ranges();
  ASSERT_EQ(seen.size(), 4U);
  for (const device::EmulatedRange& range : seen)
    EXPECT_TRUE(range.has_ended) << range.number << ": " << range.name;
  for (const std::size_t i : {0U, 1U})
    EXPECT_EQ(seen[i].name, "rondo all_reduce(count=7, f32, max, on devices) by ring");
  for (const std::size_t i : {2U, 3U}) EXPECT_THAT(seen[i].name, HasSubstr("rondo broadcast("));
}

}  // namespace
}  // namespace rondo::testing
