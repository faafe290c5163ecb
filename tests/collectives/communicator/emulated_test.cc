// Places on emulated devices: what the grid doesn't ask.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rondo/device.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

TEST(EmulatedPlaces, BufferOfAnotherDevice_NamesBoth) {
  const World places{.size = 2, .device = Device::emulated(0)};
  auto ranks = make_world(places);
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    const Device other = Device::emulated(3);
    const DeviceMemory memory(other, 16);
    rank.all_reduce({memory.data(), 4, DataType::kF32, other});
  });
  EXPECT_THAT(errors[0], ::testing::HasSubstr("a buffer lies on emulated:3"));
  EXPECT_THAT(errors[0], ::testing::HasSubstr("place is emulated:0"));
}

}  // namespace
}  // namespace rondo::testing
