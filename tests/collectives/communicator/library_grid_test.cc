// Every collective by the library of the devices: values, and bits across ranks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/grid.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

TEST(LibraryGrid, EveryCollective_EverySetting_IsRightAndBitEqual) {
  for (const int size : {2, 3, 5}) {
    std::vector<std::string> bits(static_cast<std::size_t>(size));
    spawn({.size = size, .device = {DeviceKind::kCuda, 0}, .devices = size},
          [&](Communicator& rank) {
            for (const Setting& setting : settings_for(rank.size()))
              bits[static_cast<std::size_t>(rank.rank())] += every_collective(rank, setting);
          });
    EXPECT_THAT(bits, ::testing::Each(bits.front()));
  }
}

TEST(LibraryGrid, LargeWorlds_TellNeighboursAlone) {
  constexpr int kRanks = 18;
  spawn({.size = kRanks, .device = {DeviceKind::kCuda, 0}, .devices = kRanks},
        [&](Communicator& rank) {
          const DeviceMemory memory(rank.device(), sizeof(float));
          const float own = 0.5F;
          Stream stream(rank.device());
          stream.copy(memory.data(), &own, sizeof(own));
          stream.synchronize();
          rank.all_reduce({memory.data(), 1, DataType::kF32, rank.device()});
          float sum = 0;
          stream.copy(&sum, memory.data(), sizeof(sum));
          stream.synchronize();
          EXPECT_EQ(sum, kRanks * own);
          EXPECT_EQ(rank.last_call().algorithm, "nccl");
        });
}

}  // namespace
}  // namespace rondo::testing
