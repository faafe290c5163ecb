// What is predicted of calls on devices: by the formula of the way that runs, or nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collectives/select/device_path.h"
#include "rondo/device.h"
#include "rondo/schedules.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using select::DevicePath;
using ::testing::DoubleEq;
using ::testing::Each;
using ::testing::Not;

constexpr std::size_t kCounts[] = {1, 1'009, 100'003};

/// An all-reduce of numbers of the ranks' own; what the communicator says of it.
CallInfo reduced(Communicator& rank, std::size_t count, Device where) {
  Memory<float> memory(where, count, false);
  memory.write(0, std::vector<float>(count, 0.25F + static_cast<float>(rank.rank())));
  rank.all_reduce(memory.buffer(0, count));
  const auto size = static_cast<float>(rank.size());
  EXPECT_THAT(memory.read(0, count), Each(size * (size - 1) / 2 + size / 4));
  return rank.last_call();
}

/// By rank, of an all-reduce of `count` floats where the ranks' devices have them.
std::vector<double> predicted_us(const World& world, std::size_t count,
                                 const std::string& algorithm = {}) {
  std::vector<double> all(static_cast<std::size_t>(world.size));
  spawn(world, [&](Communicator& rank) {
    const CallInfo info = reduced(rank, count, rank.device());
    EXPECT_EQ(info.transport, to_string(rank.device().kind));
    EXPECT_TRUE(algorithm.empty() || info.algorithm == algorithm) << info.algorithm;
    all[static_cast<std::size_t>(rank.rank())] = info.predicted_us;
  });
  return all;
}

void expect_formula_of(DevicePath path, const World& world) {
  const select::DeviceMeans means{.world = world.size, .one_host = world.transport != "tcp"};
  for (const std::size_t count : kCounts) {
    const double us = select::device_path_us(path, count * sizeof(float), means);
    EXPECT_THAT(predicted_us(world, count), Each(DoubleEq(us)))
        << count << " elements, " << world.size << " ranks, " << world.transport;
  }
}

TEST(DevicePrediction, CallThatHostsDrive_IsByTheFormulaOfEvents) {
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    for (const int size : {2, 3}) {
      expect_formula_of(
          DevicePath::kDevices,
          {.size = size, .transport = transport, .device = Device::emulated(0), .devices = 2});
    }
  }
}

/// Bytes of the whole: every rank gets all parts.
TEST(DevicePrediction, GatheredParts_CountWhole) {
  constexpr std::size_t kPart = 1'009;
  const double us = select::device_path_us(DevicePath::kDevices, 3 * kPart * sizeof(float),
                                           {.world = 3, .one_host = true});
  spawn({.size = 3, .device = Device::emulated(0)}, [&](Communicator& rank) {
    Memory<float> memory(rank.device(), 4 * kPart, false);
    memory.write(0, std::vector<float>(kPart, 0.5F + static_cast<float>(rank.rank())));
    rank.all_gather(memory.buffer(0, kPart), memory.buffer(kPart, 3 * kPart));
    EXPECT_THAT(memory.read(3 * kPart, kPart), Each(2.5F));
    EXPECT_DOUBLE_EQ(rank.last_call().predicted_us, us);
  });
}

TEST(DevicePrediction, PartsThatOnlyTheirRanksKnow_AreUnknown) {
  spawn({.size = 2, .device = Device::emulated(0)}, [](Communicator& rank) {
    const std::vector<std::size_t> counts = {300, 500};
    const std::size_t own = counts[static_cast<std::size_t>(rank.rank())];
    Memory<float> memory(rank.device(), 1'600, false);
    memory.write(0, std::vector<float>(own, 0.5F + static_cast<float>(rank.rank())));
    rank.all_gather_v(memory.buffer(0, own), memory.buffer(800, 800), counts);
    EXPECT_GT(rank.last_call().predicted_us, 0);
    rank.gather_v(memory.buffer(0, own), memory.buffer(800, 800), counts, 0);
    EXPECT_EQ(rank.last_call().transport, "emulated");
    EXPECT_EQ(rank.last_call().predicted_us, 0);
  });
}

TEST(DevicePrediction, OwnSchedule_IsUnknown) {
  World world{.size = 3, .device = Device::emulated(0)};
  world.schedule = written_schedule("all_reduce", "ring", 3, 1'009);
  EXPECT_THAT(predicted_us(world, 1'009, "my_ring"), Each(0));
}

/// As of a place on the host, for that is where it runs.
TEST(DevicePrediction, MemoryOfTheHost_IsByTheHosts) {
  std::vector<double> us;
  for (const Device place : {Device::host(), Device::emulated(0)}) {
    spawn({.size = 2, .device = place}, [&](Communicator& rank) {
      const CallInfo info = reduced(rank, 1'009, Device::host());
      if (rank.rank() == 0) us.push_back(info.predicted_us);
    });
  }
  ASSERT_EQ(us.size(), 2U);
  EXPECT_GT(us[0], 0);
  EXPECT_DOUBLE_EQ(us[0], us[1]);
  EXPECT_THAT(predicted_us({.size = 2, .device = Device::emulated(0)}, 1'009),
              Each(Not(DoubleEq(us[0]))));
}

/// By the sample plug-in's library, and by our schedules on its devices.
TEST(DevicePrediction, EachWayOfAPlugin_IsByItsFormula) {
  const auto kind = find_device_kind("custom_cpu");
  if (!kind.has_value()) GTEST_SKIP() << "this build has no plug-in";
  World world{.size = 3, .device = {*kind, 0}, .devices = 2};
  const auto expect = [&world](const char* asked_for, DevicePath path) {
    world.device_path = asked_for;
    expect_formula_of(path, world);
  };
  expect("library", DevicePath::kLibrary);
  expect("auto", DevicePath::kLibrary);
  expect("messages", DevicePath::kMessages);
  expect("devices", DevicePath::kDevices);
}

/// On CUDA devices, by a driver that is acted.
TEST(DevicePrediction, Kernels_AreUnknown_AsTheyHaveNoFormula) {
  if (device_count(DeviceKind::kCuda) == 0) GTEST_SKIP() << "this build has no CUDA";
  World world{.size = 2,
              .device = {DeviceKind::kCuda, 0},
              .devices = std::min(2, device_count(DeviceKind::kCuda))};
  world.device_path = "devices";
  expect_formula_of(DevicePath::kDevices, world);
  world.device_path = "kernel";
  EXPECT_THAT(predicted_us(world, 1'009), Each(0));
}

}  // namespace
}  // namespace rondo::testing
