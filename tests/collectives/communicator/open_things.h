#pragma once

// What this process has open: its descriptors, its mappings of Rondo's shared memory, its threads
// (streams of emulated devices are some), and what a device says that it has given. The test that
// counts them is the only one of its process that has worlds meanwhile.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "tests/core/device/watched.h"

namespace rondo::testing {

struct OpenThings {
  std::ptrdiff_t descriptors = 0;
  int mappings = 0;
  std::ptrdiff_t threads = 0;
  int on_device = 0;

  /// `device`: which the test watches; null: none.
  static OpenThings now(const WatchedDevice* device = nullptr) {
    OpenThings open;
    open.threads = std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
    if (device != nullptr) {
      open.on_device = device->open();
      open.threads -= device->kept_threads();
    }
    open.descriptors = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      if (line.find("/memfd:rondo") != std::string::npos) ++open.mappings;
    return open;
  }
  bool is_more_than(const OpenThings& other) const {
    return descriptors > other.descriptors || mappings > other.mappings ||
           threads > other.threads || on_device > other.on_device;
  }
};

/// What a server or a peer closes when it hears of the end may take a moment.
inline void expect_no_more_open_than(const OpenThings& before, const std::string& after,
                                     const WatchedDevice* device = nullptr) {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  OpenThings open = OpenThings::now(device);
  while (open.is_more_than(before) && std::chrono::steady_clock::now() < latest) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    open = OpenThings::now(device);
  }
  EXPECT_LE(open.descriptors, before.descriptors) << "after " << after;
  EXPECT_LE(open.mappings, before.mappings) << "after " << after;
  EXPECT_LE(open.threads, before.threads) << "after " << after;
  EXPECT_LE(open.on_device, before.on_device) << "after " << after;
}

}  // namespace rondo::testing
