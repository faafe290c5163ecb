// Places on emulated devices: where their calls run, and what the grid doesn't ask.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::size_t kCount = 10'000;

World places(int size, const char* transport = "inproc") {
  return {.size = size, .transport = transport, .device = Device::emulated(0)};
}

/// An all-reduce of ranks' numbers on their devices, looked at.
void all_reduce_on_device(Communicator& rank) {
  Memory<float> memory(rank.device(), kCount, false);
  memory.write(0, std::vector<float>(kCount, static_cast<float>(rank.rank()) + 0.5F));
  rank.all_reduce(memory.buffer(0, kCount));
  const auto world = static_cast<float>(rank.size());
  EXPECT_THAT(memory.read(0, kCount), Each(world * world / 2));
}

std::uint64_t sent_bytes(const Communicator& rank) {
  std::uint64_t bytes = 0;
  for (const PeerTraffic& peer : rank.traffic()) bytes += peer.sent_bytes;
  return bytes;
}

TEST(EmulatedPlaces, OnOneHost_DataStaysOnTheDevices) {
  for (const char* transport : {"inproc", "shm"}) {
    spawn(places(3, transport), [](Communicator& rank) {
      all_reduce_on_device(rank);
      EXPECT_EQ(rank.last_call().transport, "emulated");
      EXPECT_LT(sent_bytes(rank), kCount * sizeof(float) / 2) << "notices alone";
    });
  }
}

TEST(EmulatedPlaces, OverTcp_DataGoesByWayOfTheHost) {
  spawn(places(2, "tcp"), [](Communicator& rank) {
    all_reduce_on_device(rank);
    EXPECT_EQ(rank.last_call().transport, "tcp");
    EXPECT_GE(sent_bytes(rank), kCount * sizeof(float) / 2);
  });
}

TEST(EmulatedPlaces, HostBuffersOfAPlaceOnADevice_AreCombinedOnTheHost) {
  spawn(places(2), [](Communicator& rank) {
    float value = 1.5F;
    rank.all_reduce({&value, 1, DataType::kF32, Device::host()});
    EXPECT_EQ(value, 3);
    EXPECT_EQ(rank.last_call().transport, "inproc");
    all_reduce_on_device(rank);
    EXPECT_EQ(rank.last_call().transport, "emulated");
  });
}

TEST(EmulatedPlaces, ManyStartedCalls_RunInTheirOrder) {
  spawn(places(3), [](Communicator& rank) {
    Memory<float> memory(rank.device(), kCount, false);
    memory.write(0, std::vector<float>(kCount, 1));
    std::vector<Work> calls;
    for (int i = 0; i < 12; ++i)
      calls.push_back(rank.start(Call::all_reduce(memory.buffer(0, kCount))));
    wait_all(calls);
    EXPECT_THAT(memory.read(0, kCount), Each(531'441)) << "three to the twelfth";
  });
}

TEST(EmulatedPlaces, BufferOfAnotherDevice_NamesBoth) {
  auto ranks = make_world(places(2));
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    const Device other = Device::emulated(3);
    const DeviceMemory memory(other, 16);
    rank.all_reduce({memory.data(), 4, DataType::kF32, other});
  });
  EXPECT_THAT(errors[0], HasSubstr("a buffer lies on emulated:3"));
  EXPECT_THAT(errors[0], HasSubstr("place is emulated:0"));
}

TEST(EmulatedPlaces, PointerThatIsNotWhereItIsSaidToBe_IsRefusedAndHarmsNothing) {
  auto ranks = make_world(places(2));
  std::vector<float> host(16);
  const auto as_device = run_ranks(ranks, [&](Communicator& rank) {
    rank.all_reduce({host.data(), 4, DataType::kF32, rank.device()});
  });
  EXPECT_THAT(as_device, Each(AllOf(HasSubstr("InvalidArgument"), HasSubstr("emulated:"),
                                    HasSubstr("may be memory of the host"))));
  const auto as_host = run_ranks(ranks, [](Communicator& rank) {
    const DeviceMemory memory(rank.device(), 16);
    rank.all_reduce({memory.data(), 4, DataType::kF32, Device::host()});
  });
  EXPECT_THAT(as_host, Each(AllOf(HasSubstr("InvalidArgument"),
                                  HasSubstr("name the device in the buffer"))));
  const auto too_short = run_ranks(ranks, [](Communicator& rank) {
    const DeviceMemory memory(rank.device(), 16);
    rank.all_reduce({memory.data(), 5, DataType::kF32, rank.device()});
  });
  EXPECT_THAT(too_short, Each(AllOf(HasSubstr("InvalidArgument"), HasSubstr("past the end"))));
  EXPECT_THAT(run_ranks(ranks, all_reduce_on_device), Each(""));
}

TEST(EmulatedPlaces, InputOnTheHostAndOutputOnTheDevice_AreRefused) {
  auto ranks = make_world(places(2));
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    const std::vector<float> input(4);
    const DeviceMemory output(rank.device(), 16);
    rank.all_reduce({input.data(), 4, DataType::kF32, Device::host()},
                    {output.data(), 4, DataType::kF32, rank.device()});
  });
  EXPECT_THAT(errors, Each(HasSubstr("must both lie on emulated:")));
}

TEST(EmulatedPlaces, RanksThatDisagreeWhereTheDataIs_AreToldSo) {
  auto ranks = make_world(places(2));
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    std::vector<float> host(4);
    const DeviceMemory memory(rank.device(), 16);
    if (rank.rank() == 0) rank.all_reduce({host.data(), 4, DataType::kF32, Device::host()});
    if (rank.rank() == 1) rank.all_reduce({memory.data(), 4, DataType::kF32, rank.device()});
  });
  EXPECT_THAT(errors, Each(AllOf(HasSubstr("Mismatch"),
                                 HasSubstr("all_reduce(count=4, f32, sum, on devices)"))));
}

}  // namespace
}  // namespace rondo::testing
