#pragma once

// What this process has open: its descriptors, and its mappings of Rondo's shared memory. The test
// that counts them is the only one of its process that has worlds meanwhile.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace rondo::testing {

struct OpenThings {
  std::ptrdiff_t descriptors = 0;
  int mappings = 0;

  static OpenThings now() {
    OpenThings open;
    open.descriptors = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      if (line.find("/memfd:rondo") != std::string::npos) ++open.mappings;
    return open;
  }
  bool is_more_than(const OpenThings& other) const {
    return descriptors > other.descriptors || mappings > other.mappings;
  }
};

/// What a server or a peer closes when it hears of the end may take a moment.
inline void expect_no_more_open_than(const OpenThings& before, const std::string& after) {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  OpenThings open = OpenThings::now();
  while (open.is_more_than(before) && std::chrono::steady_clock::now() < latest) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    open = OpenThings::now();
  }
  EXPECT_LE(open.descriptors, before.descriptors) << "after " << after;
  EXPECT_LE(open.mappings, before.mappings) << "after " << after;
}

}  // namespace rondo::testing
