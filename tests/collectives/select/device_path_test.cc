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

TEST(DevicePath, TimesGrowWithBytesAndRanks) {
  for (const DevicePath path : {DevicePath::kHost, DevicePath::kDevices, DevicePath::kLibrary}) {
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
