// Places on CUDA devices, by a driver that is acted (tests/fake_cuda), which RONDO_CUDA_DRIVER
// names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr Device kFirst{DeviceKind::kCuda, 0};

template <typename T>
std::string transport_of_all_reduce(const Reduction& op) {
  std::string transport;
  spawn({.size = 3, .device = kFirst, .devices = 2}, [&](Communicator& rank) {
    Memory<T> memory(rank.device(), 1'000, false);
    memory.write(0, std::vector<T>(1'000, T(3)));
    rank.all_reduce(memory.buffer(0, 1'000), op);
    if (rank.rank() == 0) transport = rank.last_call().transport;
  });
  return transport;
}

TEST(CudaPlaces, EveryTypeAndOp_StaysOnTheDevices) {
  EXPECT_EQ(transport_of_all_reduce<float>(ReduceOp::kSum), "cuda");
  EXPECT_EQ(transport_of_all_reduce<std::int64_t>(ReduceOp::kMax), "cuda");
  EXPECT_EQ(transport_of_all_reduce<std::uint8_t>(ReduceOp::kAvg), "cuda");
  EXPECT_EQ(transport_of_all_reduce<std::int32_t>(ReduceOp::kBitAnd), "cuda");
}

TEST(CudaPlaces, CallInAStream_IsMadeInItsPlace) {
  spawn({.size = 2, .device = kFirst, .devices = 2}, [](Communicator& rank) {
    Stream stream(rank.device());
    const DeviceMemory memory(rank.device(), 4'000);
    const std::vector<float> input(1'000, 1.5F);
    std::vector<float> sums(1'000);
    for (int turn = 0; turn < 20; ++turn) {
      stream.copy(memory.data(), input.data(), 4'000);
      Work work = rank.start(
          Call::all_reduce({memory.data(), 1'000, DataType::kF32, rank.device()}).on(stream));
      stream.copy(sums.data(), memory.data(), 4'000);
      stream.synchronize();
      ASSERT_THAT(sums, Each(3));
      work.wait();
    }
  });
}

TEST(CudaPlaces, MemoryOfTheHostOrOfAnotherDevice_IsRefusedByName) {
  auto ranks = make_world({.size = 2, .device = kFirst, .devices = 2});
  std::vector<float> host(4);
  auto errors = run_ranks(ranks, [&](Communicator& rank) {
    rank.all_reduce({host.data(), 4, DataType::kF32, rank.device()});
  });
  EXPECT_THAT(errors, Each(HasSubstr("is memory that CUDA doesn't know")));
  const DeviceMemory third({DeviceKind::kCuda, 2}, 16);
  errors = run_ranks(ranks, [&](Communicator& rank) {
    rank.all_reduce({third.data(), 4, DataType::kF32, rank.device()});
  });
  EXPECT_THAT(errors, Each(HasSubstr("is memory of cuda:2")));
}

}  // namespace
}  // namespace rondo::testing
