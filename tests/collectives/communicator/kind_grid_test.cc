// Every collective by threads of one process on devices of the kind that RONDO_TEST_DEVICE names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/grid.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

/// RONDO_TEST_SIZES: of the worlds, with spaces between.
std::vector<int> sizes() {
  const char* const text = std::getenv("RONDO_TEST_SIZES");
  if (text == nullptr) return {2, 3, 5};
  std::istringstream numbers(text);
  std::vector<int> list{std::istream_iterator<int>(numbers), {}};
  EXPECT_FALSE(list.empty()) << "RONDO_TEST_SIZES: '" << text << "'";
  return list;
}

class KindGrid : public ::testing::TestWithParam<const char*> {};

TEST_P(KindGrid, EveryCollective_EverySetting_IsRightAndBitEqual) {
  const char* const name = std::getenv("RONDO_TEST_DEVICE");
  ASSERT_NE(name, nullptr) << "RONDO_TEST_DEVICE names no kind of device";
  const auto kind = find_device_kind(name);
  ASSERT_TRUE(kind.has_value() && device_count(*kind) >= 1) << "of " << name;
  const int devices = std::min(2, device_count(*kind));
  for (const int size : sizes()) {
    std::vector<std::string> bits(static_cast<std::size_t>(size));
    spawn({.size = size, .algorithm = GetParam(), .device = {*kind, 0}, .devices = devices},
          [&](Communicator& rank) {
            for (const Setting& setting : settings_for(rank.size()))
              bits[static_cast<std::size_t>(rank.rank())] += every_collective(rank, setting);
          });
    EXPECT_THAT(bits, ::testing::Each(bits.front()));
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, KindGrid,
                         ::testing::Values("auto", "ring", "direct", "tree", "recursive_doubling",
                                           "halving_doubling", "bidirectional_ring",
                                           "double_binary_tree", "weighted_direct"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace rondo::testing
