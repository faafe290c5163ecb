// Calls of the devices' library (NCCL, acted) in CUDA graphs: captured once, and made by each
// launch with what is in the memory then.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/cuda_graph.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::Each;

constexpr int kRanks = 3;
constexpr std::size_t kCount = 5'003;

World world() {
  return {.size = kRanks,
          .device = {DeviceKind::kCuda, 0},
          .devices = kRanks,
          .device_path = "library"};
}

TEST(LibraryGraph, CapturedAllReduces_AreMadeByEachLaunch) {
  spawn(world(), [](Communicator& rank) {
    Memory<float> memory(rank.device(), kCount, false);
    rank.all_reduce(memory.buffer(0, kCount));
    ASSERT_EQ(rank.last_call().algorithm, "nccl");
    expect_sums_of_each_launch(rank, 12, 1);
  });
}

TEST(LibraryGraph, CapturedBroadcast_GivesWhatTheRootHasAtEachLaunch) {
  spawn(world(), [](Communicator& rank) {
    Memory<float> memory(rank.device(), kCount, false);
    const Buffer buffer = memory.buffer(0, kCount);
    rank.broadcast(buffer, 1);
    const NativeStream native(rank.device().index);
    Stream stream = Stream::borrow(rank.device(), native.get());
    Graph graph(native.get());
    rank.start(Call::broadcast(buffer, 1).on(stream));
    graph.end();
    for (int turn = 0; turn < 12; ++turn) {
      const float own = static_cast<float>(100 * turn + rank.rank());
      memory.write(0, std::vector<float>(kCount, own));
      graph.launch();
      stream.synchronize();
      ASSERT_THAT(memory.read(0, kCount), Each(static_cast<float>(100 * turn + 1)));
    }
    rank.barrier();
  });
}

TEST(LibraryGraph, WhereOneRankAloneCaptures_AllAreTold) {
  auto ranks = make_world(world());
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    Memory<float> memory(rank.device(), kCount, false);
    const Buffer buffer = memory.buffer(0, kCount);
    rank.all_reduce(buffer);
    if (rank.rank() != 0) return rank.all_reduce(buffer);
    const NativeStream native(rank.device().index);
    Stream stream = Stream::borrow(rank.device(), native.get());
    Graph graph(native.get());
    try {
      rank.start(Call::all_reduce(buffer).on(stream));
    } catch (const Error&) {
      graph.end();
      throw;
    }
    graph.end();
  });
  EXPECT_THAT(errors, Each(::testing::HasSubstr("the call in a graph and rank")));
}

}  // namespace
}  // namespace rondo::testing
