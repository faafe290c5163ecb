// Places on emulated devices: where their calls run, and what the grid doesn't ask.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/hidden_message.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/waiting_schedule.h"

namespace rondo::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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
    });
  }
}

TEST(EmulatedPlaces, ScheduleWhoseLanesWaitForEachOther_RunsOnTheDevices_OrIsRefusedBetweenHosts) {
  for (const char* transport : {"inproc", "shm"}) {
    World world = places(3, transport);
    world.schedule = waiting_schedule(3);
    world.segment_bytes = 4096;
    world.device_path = "devices";
    spawn(world, [](Communicator& rank) {
      for (int turn = 0; turn < 5; ++turn) all_reduce_on_device(rank);
      EXPECT_EQ(rank.last_call().algorithm, "star_of_two_lanes");
      EXPECT_EQ(rank.last_call().transport, "emulated");
    });
  }
  World far = places(3, "tcp");
  far.schedule = waiting_schedule(3);
  far.device_path = "devices";
  auto ranks = make_world(far);
  EXPECT_THAT(run_ranks(ranks, all_reduce_on_device),
              Each(HasSubstr("between hosts a schedule whose lanes wait")));
}

/// A ring all-reduce and a broadcast that goes one way, on each rank; nothing is rounded here.
std::vector<std::vector<PeerTraffic>> traffic_of(World world) {
  world.algorithm = "ring";
  auto ranks = make_world(world);
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    Memory<float> memory(rank.device(), 3 * kCount, false);
    for (int i = 0; i < 3; ++i) rank.all_reduce(memory.buffer(0, 3 * kCount), ReduceOp::kMax);
    rank.broadcast(memory.buffer(0, kCount), 0);
  });
  EXPECT_THAT(errors, Each(""));
  std::vector<std::vector<PeerTraffic>> traffic;
  for (const Communicator& rank : ranks) traffic.push_back(rank.traffic());
  return traffic;
}

/// As many as on the host, and the notices.
TEST(EmulatedPlaces, TrafficOfDevices_IsThatOfTheSameCallsOnTheHost) {
  constexpr std::uint64_t kNotices = 20'000;
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    const auto on_device = traffic_of(places(3, transport));
    const auto on_host = traffic_of({.size = 3, .transport = transport});
    for (std::size_t rank = 0; rank < 3; ++rank) {
      for (std::size_t peer = 0; peer < 2; ++peer) {
        const PeerTraffic& device = on_device[rank][peer];
        const PeerTraffic& host = on_host[rank][peer];
        EXPECT_EQ(device.peer, host.peer);
        EXPECT_EQ(device.transport, transport);
        EXPECT_GE(device.sent_bytes, host.sent_bytes) << rank << " to " << device.peer;
        EXPECT_LE(device.sent_bytes, host.sent_bytes + kNotices) << rank << " to " << device.peer;
        EXPECT_GE(device.received_bytes, host.received_bytes);
        EXPECT_LE(device.received_bytes, host.received_bytes + kNotices);
      }
    }
  }
}

TEST(EmulatedPlaces, OverTcp_MessagesAloneGoByWayOfTheHost) {
  spawn(places(2, "tcp"), [](Communicator& rank) {
    all_reduce_on_device(rank);
    EXPECT_EQ(rank.last_call().transport, "emulated");
    EXPECT_GE(sent_bytes(rank), kCount * sizeof(float) / 2);
  });
}

/// Nothing is encoded on devices yet.
TEST(EmulatedPlaces, OverTcpWithAWireFormat_AllGoesByWayOfTheHost) {
  World encoded = places(2, "tcp");
  encoded.wire_format = "bf16";
  spawn(encoded, [](Communicator& rank) {
    all_reduce_on_device(rank);
    EXPECT_EQ(rank.last_call().transport, "tcp");
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

/// Brings each rank's numbers to the device, combines them there and brings the sums back, all in
/// the order of one stream that is waited for at the end alone.
void all_reduce_in_stream(Communicator& rank) {
  Stream stream(rank.device());
  const DeviceMemory memory(rank.device(), kCount * sizeof(float));
  const Buffer buffer{memory.data(), kCount, DataType::kF32, rank.device()};
  for (int round = 0; round < 20; ++round) {
    const std::vector<float> input(kCount, static_cast<float>(rank.rank() + round) + 0.25F);
    std::vector<float> sums(kCount);
    stream.copy(memory.data(), input.data(), kCount * sizeof(float));
    rank.start(Call::all_reduce(buffer).on(stream));
    rank.start(Call::all_reduce(buffer, ReduceOp::kMax).on(stream));
    stream.copy(sums.data(), memory.data(), kCount * sizeof(float));
    stream.synchronize();
    const auto world = static_cast<float>(rank.size());
    const float ranks = world * (world - 1) / 2;
    EXPECT_THAT(sums, Each(ranks + world * (static_cast<float>(round) + 0.25F)));
  }
}

TEST(CallInStream, ComesAfterWhatWasThereAndBeforeWhatComesLater) {
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    for (const int size : {1, 2, 3}) spawn(places(size, transport), all_reduce_in_stream);
  }
}

TEST(CallInStream, WhereNobodyMovesItOn_EndsBeforeStartReturns) {
  World world = places(3);
  world.progress = "caller";
  spawn(world, all_reduce_in_stream);
}

/// The same with calls that are checked and planned once, run or started.
void all_reduce_prepared_in_stream(Communicator& rank) {
  Stream stream(rank.device());
  const DeviceMemory memory(rank.device(), kCount * sizeof(float));
  const Buffer buffer{memory.data(), kCount, DataType::kF32, rank.device()};
  Prepared sum = rank.prepare(Call::all_reduce(buffer).on(stream));
  Prepared largest = rank.prepare(Call::all_reduce(buffer, ReduceOp::kMax).on(stream));
  for (int round = 0; round < 20; ++round) {
    const std::vector<float> input(kCount, static_cast<float>(rank.rank() + round));
    std::vector<float> sums(kCount);
    stream.copy(memory.data(), input.data(), kCount * sizeof(float));
    largest.start();
    stream.copy(sums.data(), memory.data(), kCount * sizeof(float));
    sum.run();
    const auto world = static_cast<float>(rank.size());
    const float most = world - 1 + static_cast<float>(round);
    EXPECT_THAT(sums, Each(most)) << "run waits, and with it for all that came before";
    stream.copy(sums.data(), memory.data(), kCount * sizeof(float));
    stream.synchronize();
    EXPECT_THAT(sums, Each(world * most));
  }
}

TEST(CallInStream, PreparedOnce_IsMadeInItsPlaceEachTime) {
  for (const char* transport : {"inproc", "tcp"}) {
    for (const int size : {1, 3}) spawn(places(size, transport), all_reduce_prepared_in_stream);
  }
  World world = places(3);
  world.progress = "caller";
  spawn(world, all_reduce_prepared_in_stream);
}

TEST(CallInStream, PreparedForTheStreamOfAnotherDevice_IsRefusedWhenItIsPrepared) {
  spawn(places(2), [](Communicator& rank) {
    const Stream other(Device::emulated(3));
    const DeviceMemory memory(rank.device(), 64);
    const Buffer buffer{memory.data(), 4, DataType::kF32, rank.device()};
    EXPECT_THAT([&] { rank.prepare(Call::all_reduce(buffer).on(other)); },
                ThrowsMessage<Error>(HasSubstr("the stream is one of emulated:3")));
  });
}

TEST(CallInStream, OfAStreamThatHasFailed_FailsOnAllRanksWithThatOneAsTheCulprit) {
  for (const auto& [transport, progress] :
       {std::pair("inproc", "thread"), std::pair("tcp", "thread"), std::pair("inproc", "caller"),
        std::pair("tcp", "caller")}) {
    SCOPED_TRACE(std::string(transport) + ", progress by " + progress);
    World world = places(3, transport);
    world.progress = progress;
    auto ranks = make_world(world);
    const auto errors = run_ranks(ranks, [](Communicator& rank) {
      Stream stream(rank.device());
      const DeviceMemory memory(rank.device(), 64);
      std::vector<char> host(128);
      if (rank.rank() == 1) stream.copy(memory.data(), host.data(), 65);
      rank.start(Call::all_reduce({memory.data(), 16, DataType::kF32, rank.device()}).on(stream))
          .wait();
    });
    EXPECT_THAT(errors, Each(AllOf(HasSubstr("Device"), HasSubstr("past the end"),
                                   HasSubstr("emulated:1"))));
  }
}

TEST(CallInStream, ThatFails_FailsTheStreamToo) {
  auto ranks = make_world(places(2));
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    Stream stream(rank.device());
    const DeviceMemory memory(rank.device(), 64);
    const std::size_t count = rank.rank() == 0 ? 4 : 5;
    rank.start(Call::all_reduce({memory.data(), count, DataType::kF32, rank.device()}).on(stream));
    stream.synchronize();
  });
  EXPECT_THAT(errors, Each(HasSubstr("count=4")));
}

TEST(CallInStream, OfAnotherDeviceOrOfAMessage_IsRefusedAndTheStreamGoesOn) {
  auto ranks = make_world(places(2));
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    Stream other(Device::emulated(3));
    const DeviceMemory memory(rank.device(), 64);
    const Buffer buffer{memory.data(), 4, DataType::kF32, rank.device()};
    try {
      rank.start(Call::all_reduce(buffer).on(other));
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the stream is one of emulated:3"));
      other.synchronize();
    }
    float value = 0;
    rank.start(Call::send({&value, 1, DataType::kF32}, 0).on(Stream(rank.device())));
  });
  EXPECT_THAT(errors, Each(HasSubstr("no place in a stream")));
}

TEST(CallInStream, OfTheHost_EndsBeforeStartReturns) {
  spawn({.size = 2}, [](Communicator& rank) {
    Stream stream(Device::host());
    std::vector<float> data(100, 1.5F);
    rank.start(Call::all_reduce({data.data(), data.size(), DataType::kF32}).on(stream));
    EXPECT_THAT(data, Each(3));
  });
}

TEST(CallInStream, GivenUp_LetsTheStreamGoWithAnError) {
  auto ranks = make_world(places(2));
  run_ranks(ranks, [&](Communicator& rank) {
    if (rank.rank() == 1) return;
    Stream stream(rank.device());
    const DeviceMemory memory(rank.device(), 64);
    Work work =
        rank.start(Call::all_reduce({memory.data(), 16, DataType::kF32, rank.device()}).on(stream));
    work.cancel();
    EXPECT_THROW(stream.synchronize(), Error);
  });
}

// Whoever is done goes at once, with all that its peers wait for.
TEST(EmulatedPlaces, CommunicatorsThatEndWithTheirOnlyCall_LeaveTheirPeersWhole) {
  for (int round = 0; round < 30; ++round) {
    for (const char* transport : {"inproc", "shm"}) {
      spawn(places(3, transport), [&](Communicator& rank) {
        Communicator own = std::move(rank);
        Memory<float> memory(own.device(), 100, false);
        memory.write(0, std::vector<float>(100, static_cast<float>(own.rank())));
        own.broadcast(memory.buffer(0, 100), round % 3);
        EXPECT_THAT(memory.read(0, 100), Each(static_cast<float>(round % 3)));
      });
    }
  }
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
  const DeviceMemory third(Device::emulated(2), 16);
  const auto of_another = run_ranks(ranks, [&](Communicator& rank) {
    rank.all_reduce({third.data(), 4, DataType::kF32, rank.device()});
  });
  EXPECT_THAT(of_another,
              Each(AllOf(HasSubstr("InvalidArgument"), HasSubstr("is memory of emulated:2"))));
  EXPECT_THAT(run_ranks(ranks, all_reduce_on_device), Each(""));
}

TEST(EmulatedPlaces, MessageOfADevicesMemoryGivenAsTheHosts_IsRefused) {
  for (const char* transport : {"inproc", "shm", "tcp"})
    expect_hidden_messages_are_refused(places(2, transport), Device::emulated(0));
  expect_hidden_messages_are_refused({.size = 2}, Device::emulated(0));
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
