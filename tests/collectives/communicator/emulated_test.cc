// Collectives on buffers in memory that the host can't touch: worlds of emulated devices, over
// every transport, compared with fp64 and bit by bit between ranks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/values.h"

namespace rondo::testing {
namespace {

template <typename T>
std::vector<T> reduced_on_device(Communicator& rank, std::size_t count, ReduceOp op,
                                 bool in_place) {
  const std::size_t bytes = count * sizeof(T);
  const DeviceMemory input(rank.device(), bytes + 1);
  const DeviceMemory output(rank.device(), bytes + 1);
  Stream stream(rank.device());
  const auto mine = values<T>(rank.rank(), count, op);
  stream.copy(input.data(), mine.data(), bytes);
  stream.synchronize();
  const Buffer from{input.data(), count, data_type_of<T>(), rank.device()};
  const Buffer to{in_place ? input.data() : output.data(), count, data_type_of<T>(), rank.device()};
  rank.all_reduce(from, to, op);
  std::vector<T> result(count);
  stream.copy(result.data(), to.pointer, bytes);
  stream.synchronize();
  return result;
}

class EmulatedDevice : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(EmulatedDevice, AllReduce_IsRightAndBitEqual) {
  const auto& [transport, world] = GetParam();
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1009}}) {
    std::vector<std::vector<float>> sums(static_cast<std::size_t>(world));
    const World places{.size = world, .transport = transport, .device = Device::emulated(0)};
    spawn(places, [&](Communicator& rank) {
      auto& sum = sums[static_cast<std::size_t>(rank.rank())];
      sum = reduced_on_device<float>(rank, count, ReduceOp::kSum, count % 2 == 1);
      EXPECT_EQ(first_wrong(sum.data(), count, world, ReduceOp::kSum), -1);
      const auto most = reduced_on_device<std::int64_t>(rank, count, ReduceOp::kMax, false);
      EXPECT_EQ(first_wrong(most.data(), count, world, ReduceOp::kMax), -1);
    });
    for (const auto& sum : sums) EXPECT_EQ(sum, sums.front());
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, EmulatedDevice,
                         ::testing::Combine(::testing::Values("inproc", "shm", "tcp"),
                                            ::testing::Values(1, 2, 4)),
                         [](const auto& parameter) {
                           return std::get<0>(parameter.param) + "_" +
                                  std::to_string(std::get<1>(parameter.param));
                         });

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
