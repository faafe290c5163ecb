// Calls in streams that are being captured in a CUDA graph, where no kernel of ours makes them:
// those of auto, which hosts drive, and those of a world of one, which are copies at most.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/cuda_graph.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr Device kFirst{DeviceKind::kCuda, 0};
constexpr std::size_t kCount = 1'000;

/// What starting `call` in a captured stream throws; the capture goes on.
template <typename Start>
std::string refusal(const Start& start) {
  try {
    start();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CudaPlacesCapture, OfACallThatHostsDrive_IsRefused_AndTheCommunicatorGoesOn) {
  if (std::getenv("RONDO_DEVICE_PATH") != nullptr) GTEST_SKIP() << "it is about auto";
  spawn({.size = 2, .device = kFirst, .devices = 1}, [](Communicator& rank) {
    Memory<float> memory(rank.device(), kCount, false);
    memory.write(0, std::vector<float>(kCount, 1));
    const NativeStream native(rank.device().index);
    Stream stream = Stream::borrow(rank.device(), native.get());
    const Call call = Call::all_reduce(memory.buffer(0, kCount)).on(stream);
    Prepared prepared = rank.prepare(call);
    Graph graph(native.get());
    const auto says_how = AllOf(HasSubstr("Unsupported"), HasSubstr("RONDO_DEVICE_PATH=kernel"));
    EXPECT_THAT(refusal([&] { rank.start(call); }), says_how);
    EXPECT_THAT(refusal([&] { prepared.start(); }), says_how);
    graph.end();
    rank.start(call).wait();
    EXPECT_THAT(memory.read(0, kCount), Each(2)) << "the graph is empty, and the call was made";
    graph.launch();
    stream.synchronize();
    EXPECT_THAT(memory.read(0, kCount), Each(2));
  });
}

TEST(CudaPlacesCapture, InAWorldOfOne_IsACopyThatEachLaunchMakes) {
  spawn({.size = 1, .device = kFirst}, [](Communicator& rank) {
    Memory<float> memory(rank.device(), 3 * kCount, false);
    const Buffer first = memory.buffer(0, kCount);
    const Buffer second = memory.buffer(kCount, kCount);
    const Buffer third = memory.buffer(2 * kCount, kCount);
    memory.write(0, std::vector<float>(3 * kCount, -1));
    const NativeStream native(rank.device().index);
    Stream stream = Stream::borrow(rank.device(), native.get());
    Prepared gather = rank.prepare(Call::all_gather(second, third).on(stream));
    Graph graph(native.get());
    rank.start(Call::all_reduce(first, second).on(stream));
    rank.start(Call::broadcast(second, 0).on(stream));  // in place: nothing
    rank.start(Call::barrier().on(stream));
    gather.run();
    graph.end();
    EXPECT_THAT(memory.read(0, 3 * kCount), Each(-1)) << "nothing is made before a launch";
    for (int turn = 0; turn < 3; ++turn) {
      memory.write(0, std::vector<float>(kCount, static_cast<float>(turn)));
      graph.launch();
      stream.synchronize();
      EXPECT_THAT(memory.read(0, 3 * kCount), Each(static_cast<float>(turn)));
    }
  });
}

TEST(CudaPlacesCapture, InAWorldOfOne_OfWhatIsTheHosts_IsRefused) {
  spawn({.size = 1, .device = kFirst}, [](Communicator& rank) {
    Memory<float> memory(rank.device(), kCount, false);
    const std::vector<float> input(kCount, 1);
    std::vector<float> output(kCount);
    const NativeStream native(rank.device().index);
    Stream stream = Stream::borrow(rank.device(), native.get());
    Graph graph(native.get());
    const auto says_what = AllOf(HasSubstr("Unsupported"), HasSubstr("its buffers on cuda:0"));
    EXPECT_THAT(refusal([&] {
                  rank.start(Call::all_reduce({input.data(), kCount, DataType::kF32},
                                              {output.data(), kCount, DataType::kF32})
                                 .on(stream));
                }),
                says_what);
    EXPECT_THAT(
        refusal([&] {
          rank.start(Call::all_reduce(memory.buffer(0, kCount), Reduction::premultiplied_sum(2))
                         .on(stream));
        }),
        says_what);
    graph.end();
  });
}

}  // namespace
}  // namespace rondo::testing
