#include "collectives/select/device_path.h"

#include <gtest/gtest.h>

namespace rondo::select {
namespace {

constexpr DeviceMeans kBoth{.world = 4, .one_host = true, .devices = true, .library = true};

TEST(DevicePath, WhatIsNotThere_IsNotChosen) {
  EXPECT_EQ(choose_device_path(1'000, {.world = 4}), DevicePath::kHost);
  EXPECT_EQ(choose_device_path(1'000, {.world = 4, .devices = true}), DevicePath::kDevices);
  EXPECT_EQ(choose_device_path(1'000, {.world = 4, .one_host = false, .library = true}),
            DevicePath::kLibrary);
}

/// Which a step inside a kernel costs less than one of the hosts'.
TEST(DevicePath, OfBoth_TheLibrary) {
  for (const bool one_host : {true, false}) {
    for (std::size_t bytes = 8; bytes <= std::size_t{1} << 30; bytes *= 8) {
      DeviceMeans means = kBoth;
      means.one_host = one_host;
      EXPECT_EQ(choose_device_path(bytes, means), DevicePath::kLibrary) << bytes;
    }
  }
}

/// Inside a host a step of the library's costs more than one of ours; between hosts its network is
/// worth that to long messages.
TEST(DevicePath, OfOurSchedules_ByMessagesWhereThatIsCheaper) {
  DeviceMeans means{.world = 4, .one_host = true, .devices = true, .messages = true};
  EXPECT_EQ(choose_device_path(1'000, means), DevicePath::kDevices);
  EXPECT_EQ(choose_device_path(1 << 28, means), DevicePath::kDevices);
  means.one_host = false;
  EXPECT_EQ(choose_device_path(1'000, means), DevicePath::kDevices);
  EXPECT_EQ(choose_device_path(1 << 28, means), DevicePath::kMessages);
  means.devices = false;
  EXPECT_EQ(choose_device_path(8, means), DevicePath::kMessages);
}

TEST(DevicePath, TimesGrowWithBytesAndRanks) {
  for (const DevicePath path :
       {DevicePath::kHost, DevicePath::kDevices, DevicePath::kLibrary, DevicePath::kMessages}) {
    EXPECT_GT(device_path_us(path, 1 << 20, kBoth), device_path_us(path, 1 << 10, kBoth));
    DeviceMeans larger = kBoth;
    larger.world = 16;
    EXPECT_GT(device_path_us(path, 1 << 10, larger), device_path_us(path, 1 << 10, kBoth));
    DeviceMeans between = kBoth;
    between.one_host = false;
    EXPECT_GE(device_path_us(path, 1 << 20, between), device_path_us(path, 1 << 20, kBoth));
  }
}

}  // namespace
}  // namespace rondo::select
