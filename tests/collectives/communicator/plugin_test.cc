// Places on the sample plug-in's devices (examples/custom_device), which RONDO_DEVICE_PLUGINS
// names.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/grid.h"
#include "tests/collectives/communicator/hidden_message.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"
#include "tests/core/device/no_more_threads.h"

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

/// By the sample's library, or by our schedules: by its messages, or by events.
std::string algorithm_of(const std::string& path) {
  std::string algorithm;
  spawn({.size = 3, .device = custom_cpu(), .devices = 2, .device_path = path},
        [&](Communicator& rank) {
          Memory<float> memory(rank.device(), 4'000, false);
          memory.write(0, std::vector<float>(4'000, 0.5F + static_cast<float>(rank.rank())));
          rank.all_reduce(memory.buffer(0, 1'001), ReduceOp::kAvg);
          EXPECT_THAT(memory.read(0, 1'001), Each(1.5F));
          rank.reduce_scatter(memory.buffer(1'001, 3), memory.buffer(2'000, 1));
          EXPECT_THAT(memory.read(2'000, 1), Each(4.5F));
          EXPECT_EQ(rank.last_call().transport, "custom_cpu");
          if (rank.rank() == 0) algorithm = rank.last_call().algorithm;
        });
  return algorithm;
}

TEST(PluginPlaces, WhatItsLibraryHas_IsMadeWhole_UnlessOurSchedulesAreAskedFor) {
  EXPECT_EQ(algorithm_of("auto"), "custom_cpu");
  EXPECT_EQ(algorithm_of("library"), "custom_cpu");
  EXPECT_NE(algorithm_of("devices"), "custom_cpu");
  EXPECT_NE(algorithm_of("messages"), "custom_cpu");
}

TEST(PluginPlaces, RankThatDoesNotCall_IsNamed_AndItsLibraryGivesUp) {
  auto ranks = make_world({.size = 3, .device = custom_cpu(), .devices = 2, .timeout_ms = 2000});
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    Memory<float> memory(rank.device(), 100, false);
    memory.write(0, std::vector<float>(100, 1));
    rank.all_reduce(memory.buffer(0, 100));
    if (rank.rank() != 1) rank.all_reduce(memory.buffer(0, 100));
  });
  EXPECT_EQ(errors[1], "");
  EXPECT_THAT(errors[0], HasSubstr("rank 1"));
  EXPECT_THAT(errors[2], HasSubstr("rank 1"));
}

TEST(PluginPlaces, PlugIn_IsInitializedOnce) {
  ASSERT_GT(device_count(custom_cpu().kind), 0);
  const auto initialized = reinterpret_cast<int (*)()>(
      ::dlsym(::dlopen(std::getenv("RONDO_DEVICE_PLUGINS"), RTLD_NOW | RTLD_LOCAL),
              "custom_cpu_initialized"));
  EXPECT_EQ(initialized(), 1);
}

// What a failed call leaves behind in its thread is touched again when the process ends, after the
// thread's own objects are gone: AddressSanitizer sees it.
TEST(PluginPlaces, ProcessEndsInOrder_AfterItsThreadsLastCallHasFailed) {
  const auto ask_for_too_much = [] {
    try {
      const DeviceMemory memory(custom_cpu(), std::size_t{1} << 60);
    } catch (const Error&) {
      std::exit(0);
    }
    std::exit(1);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(ask_for_too_much(), ::testing::ExitedWithCode(0), "");
}

/// Its functions are C's: what C++ throws in them comes back as their failure.
TEST(PluginPlaces, StreamForWhichNoThreadCanBeMade_IsRefused) {
  const Device device = custom_cpu();
  ASSERT_GT(device_count(device.kind), 0);
  const NoMoreThreads none;
  try {
    const Stream stream(device);
    FAIL() << "a thread was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDevice);
    EXPECT_THAT(error.message(), HasSubstr("create_stream of the plug-in of custom_cpu:0 failed"));
  }
}

TEST(PluginPlaces, CallsAreRangesInItsProfiler_AlsoThoseThatFail) {
  const auto ranges = reinterpret_cast<void (*)(int*, int*)>(::dlsym(
      ::dlopen(std::getenv("RONDO_DEVICE_PLUGINS"), RTLD_NOW | RTLD_LOCAL), "custom_cpu_ranges"));
  int begun_before = 0;
  int ended = 0;
  ranges(&begun_before, &ended);
  EXPECT_EQ(begun_before, ended);
  auto ranks = make_world({.size = 2, .device = custom_cpu(), .devices = 2, .timeout_ms = 20'000});
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    Memory<float> memory(rank.device(), 100, false);
    memory.write(0, std::vector<float>(100, 1));
    rank.all_reduce(memory.buffer(0, 100));
    rank.all_reduce(memory.buffer(0, 100), rank.rank() == 0 ? ReduceOp::kSum : ReduceOp::kMax);
  });
  EXPECT_THAT(errors, Each(HasSubstr("Mismatch")));
  int begun = 0;
  ranges(&begun, &ended);
  EXPECT_EQ(begun - begun_before, 4);
  EXPECT_EQ(begun, ended);
}

TEST(PluginPlaces, MemoryOfADeviceGivenAsTheHosts_IsRefused) {
  auto ranks = make_world({.size = 2, .device = custom_cpu(), .devices = 2});
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    const DeviceMemory memory(rank.device(), 16);
    rank.all_reduce({memory.data(), 4, DataType::kF32, Device::host()});
  });
  EXPECT_THAT(errors, Each(::testing::AllOf(HasSubstr("InvalidArgument"), HasSubstr("custom_cpu"),
                                            HasSubstr("name the device in the buffer"))));
}

TEST(PluginPlaces, MessageOfADevicesMemoryGivenAsTheHosts_IsRefused) {
  for (const Device place : {custom_cpu(), Device::host()})
    expect_hidden_messages_are_refused({.size = 2, .device = place, .devices = 2}, custom_cpu());
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
