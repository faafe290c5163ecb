// Every collective over every transport and on host and emulated devices, all ranks as places of
// this process: worlds 1..9 and the settings of grid.h.

#include "tests/collectives/communicator/grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

/// Of one setting: the bytes that each rank ended with.
using Results = std::vector<std::string>;

void expect_equal_bits(const std::vector<Results>& first, const std::vector<Results>& again) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto equal = std::adjacent_find(first[i].begin(), first[i].end(), std::not_equal_to<>());
    EXPECT_TRUE(equal == first[i].end()) << "ranks differ in setting " << i;
    EXPECT_TRUE(first[i] == again[i]) << "a second run differs in setting " << i;
  }
}

struct Case {
  std::string transport;
  std::string algorithm;
  int world = 1;
  Device device = Device::host();
  bool all_reduce_only = false;  ///< the algorithm is of no other collective
};

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return std::string(to_string(c.device.kind)) + "_" + c.transport + "_" + c.algorithm + "_" +
         std::to_string(c.world);
}

class Grid : public ::testing::TestWithParam<Case> {};

TEST_P(Grid, EveryCollective_EverySetting_IsRightAndBitEqual) {
  const Case& c = GetParam();
  const auto settings = settings_for(c.world);
  const auto world = static_cast<std::size_t>(c.world);
  std::vector<Results> first(settings.size(), Results(world));
  std::vector<Results> again(settings.size(), Results(world));
  World places{
      .size = c.world, .transport = c.transport, .algorithm = c.algorithm, .device = c.device};
  if (c.world % 2 == 0) places.tcp_sockets = 3;
  spawn(places, [&](Communicator& rank) {
    const auto own = static_cast<std::size_t>(rank.rank());
    for (std::size_t i = 0; i < settings.size(); ++i) {
      first[i][own] = c.all_reduce_only ? all_reduce_again(rank, settings[i])
                                        : every_collective(rank, settings[i]);
    }
    rank.barrier();
    for (std::size_t i = 0; i < settings.size(); ++i) {
      again[i][own] = all_reduce_again(rank, settings[i]);
    }
  });
  expect_equal_bits(first, again);
}

std::vector<Case> host_cases() {
  std::vector<Case> cases;
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    for (int world = 1; world <= 9; ++world) {
      for (const char* algorithm : {"ring", "direct"})
        cases.push_back({transport, algorithm, world});
    }
    for (const char* algorithm : {"tree", "linear"}) cases.push_back({transport, algorithm, 3});
    for (const int world : {4, 7}) {
      for (const char* algorithm : {"bruck", "pat", "hierarchical", "neighbour_ring"})
        cases.push_back({transport, algorithm, world});
    }
    const auto all_reduce = [&](const char* algorithm, int world) {
      cases.push_back({transport, algorithm, world, Device::host(), true});
    };
    for (const int world : {2, 3, 5}) all_reduce("one_shot", world);
    for (const int world : {4, 7}) {
      all_reduce("recursive_doubling", world);
      all_reduce("halving_doubling", world);
      all_reduce("bidirectional_ring", world);
      all_reduce("double_binary_tree", world);
      all_reduce("weighted_direct", world);
    }
  }
  return cases;
}

/// On the devices where all are of one host; over tcp by way of the host.
std::vector<Case> emulated_cases() {
  std::vector<Case> cases;
  const auto add = [&](const char* transport, const char* algorithm, int world, bool all_reduce) {
    cases.push_back({transport, algorithm, world, Device::emulated(0), all_reduce});
  };
  for (int world = 1; world <= 9; ++world) add("inproc", "auto", world, false);
  for (const char* transport : {"shm", "tcp"}) {
    for (const int world : {2, 4}) add(transport, "auto", world, false);
  }
  for (const char* transport : {"inproc", "shm"}) {
    for (const char* algorithm : {"ring", "direct", "tree", "linear", "bruck", "pat"})
      add(transport, algorithm, 3, false);
    for (const char* algorithm : {"hierarchical", "neighbour_ring"})
      add(transport, algorithm, 5, false);
    for (const char* algorithm : {"recursive_doubling", "halving_doubling", "bidirectional_ring",
                                  "double_binary_tree", "weighted_direct", "one_shot"})
      add(transport, algorithm, 5, true);
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Host, Grid, ::testing::ValuesIn(host_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Emulated, Grid, ::testing::ValuesIn(emulated_cases()), name_of);

}  // namespace
}  // namespace rondo::testing
