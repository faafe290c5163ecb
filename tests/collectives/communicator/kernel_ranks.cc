// Calls by one kernel a rank between processes, to be started by a launcher with
// RONDO_DEVICE_PATH=kernel: captured in a graph, which nothing but kernels can be. Where processes
// share a device their kernels take turns, and wait for each other for good: that is refused. Which
// of the two it was the last line says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/cuda_graph.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/own_device.h"

namespace rondo::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::size_t kCount = 5'003;

/// The sum of 0.5 times each rank, and of `turn` for each.
float sum_of(int world, int turn) {
  return 0.25F * static_cast<float>(world * (world - 1)) + static_cast<float>(world * turn);
}

void launch_again_and_again(Communicator& world, Memory<float>& memory, const Graph& graph,
                            Stream& stream) {
  for (int turn = 0; turn < 25; ++turn) {
    memory.write(0, std::vector<float>(kCount, 0.5F * static_cast<float>(world.rank()) +
                                                   static_cast<float>(turn)));
    graph.launch();
    stream.synchronize();
    ASSERT_THAT(memory.read(0, kCount), Each(sum_of(world.size(), turn))) << "turn " << turn;
  }
  world.barrier();  // nobody's memory goes while a peer's kernel may read it
}

TEST(KernelRanks, CapturedAllReduce_IsMadeByEachLaunch_WhereEachHasItsDevice) {
  Communicator world = Communicator::create({}, own_device());
  Memory<float> memory(world.device(), kCount, false);
  const Buffer buffer = memory.buffer(0, kCount);
  memory.write(0, std::vector<float>(kCount, 0.5F * static_cast<float>(world.rank())));
  world.all_reduce(buffer);  // plans are made before, not while a stream is captured
  EXPECT_THAT(memory.read(0, kCount), Each(sum_of(world.size(), 0)));
  const NativeStream native(world.device().index);
  Stream stream = Stream::borrow(world.device(), native.get());
  Graph graph(native.get());
  const auto capture = [&] { world.start(Call::all_reduce(buffer).on(stream)); };
  const bool have_one_each = device_count(DeviceKind::kCuda) >= world.size();
  if (have_one_each) {
    capture();
    graph.end();
    launch_again_and_again(world, memory, graph, stream);
  } else {
    EXPECT_THAT(capture, ThrowsMessage<Error>(HasSubstr("no two processes share")));
    graph.end();
  }
  std::printf("kernels done: rank %d of %d, %s\n", world.rank(), world.size(),
              have_one_each ? "made" : "refused");
}

}  // namespace
}  // namespace rondo::testing
