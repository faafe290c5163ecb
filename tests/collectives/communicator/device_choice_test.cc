// Which way calls on devices are made, where the hosts' devices aren't alike in all: every rank has
// to come to the same answer.

#include "collectives/communicator/device_choice.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/collectives/communicator/acted_peers.h"

namespace rondo::communicator {
namespace {

using rondo::testing::ActedTransport;
using select::DevicePath;

/// Of a call of two ranks of two hosts, both on emulated devices, of which these say whether they
/// can use page-locked memory.
DevicePath path_between_hosts(bool first_sees, bool second_sees) {
  const auto rank_of = [](const char* host, bool sees) {
    transport::RankInfo rank;
    rank.host_identity = host;
    rank.place = {.kind = "emulated", .device = host, .sees_host_memory = sees};
    return rank;
  };
  const auto mesh = acted_mesh(std::make_unique<ActedTransport>(2),
                               {rank_of("one", first_sees), rank_of("other", second_sees)});
  const Device device = Device::emulated(0);
  const CommunicatorOptions options;
  const DeviceChoice choice(options, *mesh, device);
  CallArguments arguments;
  arguments.collective = schedule::Collective::kAllReduce;
  arguments.input = arguments.output = Buffer(nullptr, 1'000, DataType::kF32, device);
  return choice.path_of(arguments);
}

// What the rank's own device can do, as its driver says, is only its own answer: the other one
// would wait for it by another way for ever.
TEST(DeviceChoice, BetweenHosts_GoesByDevices_WhereAllSeePageLockedMemory) {
  EXPECT_EQ(path_between_hosts(true, true), DevicePath::kDevices);
  EXPECT_EQ(path_between_hosts(true, false), DevicePath::kHost);
  EXPECT_EQ(path_between_hosts(false, true), DevicePath::kHost);
  EXPECT_EQ(path_between_hosts(false, false), DevicePath::kHost);
}

}  // namespace
}  // namespace rondo::communicator
