// Which way calls on devices are made, where the hosts' devices aren't alike in all: every rank has
// to come to the same answer.

#include "collectives/communicator/device_choice.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "collectives/communicator/device_abilities.h"
#include "tests/collectives/communicator/acted_peers.h"

namespace rondo::communicator {
namespace {

using rondo::testing::ActedTransport;
using select::DevicePath;

/// Sums of f32, and of nothing else.
device::Reductions sums() {
  device::Reductions made;
  made.add(DataType::kF32, ReduceOp::kSum);
  return made;
}

/// What a rank on an emulated device of a host of its own tells of that.
transport::RankInfo rank_of(const char* host) {
  transport::RankInfo rank;
  rank.host_identity = host;
  rank.place = {.kind = "emulated",
                .device = host,
                .sees_host_memory = true,
                .shares_between_processes = true,
                .imports_own = true,
                .reductions = sums()};
  return rank;
}

/// Of a call of two ranks of two hosts, of which these say what they have.
DevicePath path_between(const transport::RankInfo& first, const transport::RankInfo& second,
                        schedule::Collective collective = schedule::Collective::kAllReduce,
                        ReduceOp op = ReduceOp::kSum) {
  const auto mesh = acted_mesh(std::make_unique<ActedTransport>(2), {first, second});
  const Device device = Device::emulated(0);
  const CommunicatorOptions options;
  const DeviceChoice choice(options, *mesh, device);
  CallArguments arguments;
  arguments.collective = collective;
  arguments.reduction = op;
  arguments.input = arguments.output = Buffer(nullptr, 1'000, DataType::kF32, device);
  return choice.path_of(arguments);
}

DevicePath path_where_they_see(bool first_sees, bool second_sees) {
  transport::RankInfo first = rank_of("one");
  transport::RankInfo second = rank_of("other");
  first.place.sees_host_memory = first_sees;
  second.place.sees_host_memory = second_sees;
  return path_between(first, second);
}

// What the rank's own device can do, as its driver says, is only its own answer: the other one
// would wait for it by another way for ever.
TEST(DeviceChoice, BetweenHosts_GoesByDevices_WhereAllSeePageLockedMemory) {
  EXPECT_EQ(path_where_they_see(true, true), DevicePath::kDevices);
  EXPECT_EQ(path_where_they_see(true, false), DevicePath::kHost);
  EXPECT_EQ(path_where_they_see(false, true), DevicePath::kHost);
  EXPECT_EQ(path_where_they_see(false, false), DevicePath::kHost);
}

// The emulated driver of this process has all of this: what another one lacks is told.
TEST(DeviceChoice, KernelThatOneRankLacks_IsUsedByNone) {
  transport::RankInfo without = rank_of("without");
  without.place.reductions = {};
  const transport::RankInfo with = rank_of("with");
  for (const auto& [first, second] : {std::pair(with, without), std::pair(without, with)}) {
    EXPECT_EQ(path_between(first, second), DevicePath::kHost);
    EXPECT_EQ(path_between(first, second, schedule::Collective::kAllGather), DevicePath::kDevices)
        << "nothing is reduced";
  }
  EXPECT_EQ(path_between(with, rank_of("too")), DevicePath::kDevices);
  EXPECT_EQ(path_between(with, rank_of("too"), schedule::Collective::kAllReduce, ReduceOp::kMax),
            DevicePath::kHost);
}

TEST(DeviceChoice, SharingThatOneRankLacks_LeavesAllToTheHost) {
  transport::RankInfo without = rank_of("without");
  without.place.shares_between_processes = false;
  EXPECT_EQ(path_between(rank_of("with"), without), DevicePath::kHost);
  EXPECT_EQ(path_between(without, rank_of("with")), DevicePath::kHost);
}

TEST(DeviceAbilities, ThatDiffer_AreSaidWithTheRanksAndTheRemedy) {
  transport::RankInfo without = rank_of("other");
  without.place.reductions = {};
  without.place.sees_host_memory = false;
  EXPECT_EQ(differing_abilities(std::vector{rank_of("a"), without, rank_of("a"), without}),
            "the devices of kind emulated of ranks 1, 3 can do other things than rank 0's (reduce "
            "kernels, page-locked memory): what one of them can't, all ranks do another way; "
            "install one version of the plug-in on all hosts");
  EXPECT_EQ(differing_abilities(std::vector{rank_of("a"), rank_of("b")}), "");
}

/// They go by way of the host, whatever each can do.
TEST(DeviceAbilities, OfSeveralKinds_AreNotCompared) {
  EXPECT_EQ(differing_abilities(std::vector{rank_of("a"), transport::RankInfo()}), "");
}

}  // namespace
}  // namespace rondo::communicator
