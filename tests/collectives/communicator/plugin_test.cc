// Places on the sample plug-in's devices (examples/custom_device), which RONDO_DEVICE_PLUGINS
// names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/grid.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

Device custom_cpu(int index = 0) {
  return {find_device_kind("custom_cpu").value_or(DeviceKind::kHost), index};
}

template <typename T>
std::string transport_of_all_reduce(const Reduction& op) {
  std::string transport;
  spawn({.size = 2, .device = custom_cpu(), .devices = 2}, [&](Communicator& rank) {
    Memory<T> memory(rank.device(), 1'000, false);
    memory.write(0, std::vector<T>(1'000, T(3)));
    rank.all_reduce(memory.buffer(0, 1'000), op);
    if (rank.rank() == 0) transport = rank.last_call().transport;
  });
  return transport;
}

TEST(PluginPlaces, WhatItHasKernelsFor_StaysOnItsDevices) {
  EXPECT_EQ(transport_of_all_reduce<float>(ReduceOp::kSum), "custom_cpu");
  EXPECT_EQ(transport_of_all_reduce<std::int64_t>(ReduceOp::kMax), "custom_cpu");
  EXPECT_EQ(transport_of_all_reduce<std::uint8_t>(ReduceOp::kSum), "inproc") << "by the host";
  EXPECT_EQ(transport_of_all_reduce<std::int32_t>(ReduceOp::kBitAnd), "inproc") << "by the host";
}

TEST(PluginPlaces, CallInAStream_EndsBeforeStartReturns) {
  spawn({.size = 2, .device = custom_cpu(), .devices = 2}, [](Communicator& rank) {
    Stream stream(rank.device());
    const DeviceMemory memory(rank.device(), 4'000);
    const std::vector<float> input(1'000, 1.5F);
    std::vector<float> sums(1'000);
    stream.copy(memory.data(), input.data(), 4'000);
    rank.start(Call::all_reduce({memory.data(), 1'000, DataType::kF32, rank.device()}).on(stream));
    stream.copy(sums.data(), memory.data(), 4'000);
    stream.synchronize();
    EXPECT_THAT(sums, Each(3));
  });
}

TEST(PluginPlaces, MemoryOfTheHost_IsRefused) {
  auto ranks = make_world({.size = 2, .device = custom_cpu(), .devices = 2});
  std::vector<float> host(4);
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    rank.all_reduce({host.data(), 4, DataType::kF32, rank.device()});
  });
  EXPECT_THAT(errors, Each(HasSubstr("lie in no allocation of it")));
}

}  // namespace
}  // namespace rondo::testing
