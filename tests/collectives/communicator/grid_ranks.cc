// The settings of grid.h on one rank of a world of processes, to be started by a launcher. Each
// rank checks every element; that all ranks have the same bits is asked over the world itself.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <functional>
#include <string>

#include "tests/collectives/communicator/grid.h"
#include "tests/collectives/communicator/own_device.h"

namespace rondo::testing {
namespace {

TEST(GridOfProcesses, EveryCollective_EverySetting_IsRightAndBitEqual) {
  Communicator world = Communicator::create({}, own_device());
  for (const Setting& setting : settings_for(world.size())) {
    const std::string first = every_collective(world, setting);
    EXPECT_TRUE(first == all_reduce_again(world, setting)) << "a second run differs";
    const std::uint64_t digest = std::hash<std::string>()(first);
    // The smallest of x and of -x are each other's negative only where all are equal.
    std::array<std::int64_t, 2> least = {static_cast<std::int64_t>(digest >> 1),
                                         -static_cast<std::int64_t>(digest >> 1)};
    world.all_reduce({least.data(), least.size(), DataType::kI64, Device::host()}, ReduceOp::kMin);
    EXPECT_EQ(least[0], -least[1]) << "ranks differ";
  }
  DeviceMemory last(world.device(), sizeof(float));
  world.all_reduce({last.data(), 1, DataType::kF32, world.device()});
  std::printf("grid done: rank %d of %d over %s\n", world.rank(), world.size(),
              std::string(world.last_call().transport).c_str());
}

}  // namespace
}  // namespace rondo::testing
