// Collectives captured in CUDA graphs: once by the hosts, many times by the devices. Runs on a GPU
// as it does on a driver that is acted; RONDO_DEVICE_PATH is kernel.

#include "tests/collectives/communicator/cuda_graph.h"

#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"
#include "tests/core/scoped_variable.h"

namespace rondo::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

Device device_of(int rank) {
  return {DeviceKind::kCuda, rank % std::min(2, device_count(DeviceKind::kCuda))};
}

TEST(CudaGraph, CapturedAllReduce_IsMadeByEachLaunch) {
  spawn({.size = 3,
         .device = {DeviceKind::kCuda, 0},
         .devices = std::min(2, device_count(DeviceKind::kCuda))},
        [](Communicator& rank) { expect_sums_of_each_launch(rank, 25, 2); });
}

/// Who gives has nothing to wait for but its peers' goodbyes.
TEST(CudaGraph, CapturedBroadcast_EndsWhenNobodyReadsTheRootsMemoryAnyMore) {
  const int size = 3;
  spawn({.size = size, .algorithm = "linear", .device = device_of(0), .devices = 1},
        [](Communicator& rank) {
          constexpr std::size_t kCount = 20'000;
          Memory<float> memory(rank.device(), kCount, false);
          const Buffer buffer = memory.buffer(0, kCount);
          rank.broadcast(buffer, 0);
          const NativeStream native(rank.device().index);
          Stream stream = Stream::borrow(rank.device(), native.get());
          Graph graph(native.get());
          rank.start(Call::broadcast(buffer, 0).on(stream));
          graph.end();
          for (int turn = 0; turn < 40; ++turn) {
            if (rank.rank() == 0)
              memory.write(0, std::vector<float>(kCount, static_cast<float>(turn)));
            graph.launch();
            stream.synchronize();
            if (rank.rank() == 0) {
              memory.write(0, std::vector<float>(kCount, -1));
            } else {
              ASSERT_THAT(memory.read(0, kCount), Each(static_cast<float>(turn)));
            }
          }
          rank.barrier();
        });
}

struct Moved {
  Call call;
  std::size_t input_count;
  std::size_t output_count;
  /// By rank and element of the output, where `given` is what a rank's input has there.
  std::function<float(int, std::size_t, const std::function<float(int, std::size_t)>&)> result;
};

constexpr std::size_t kPart = 1'501;
constexpr int kRanks = 3;

/// Captured once, and launched with other contents each time.
void check_captured(Communicator& rank, Memory<float>& memory, const Moved& moved) {
  rank.start(moved.call).wait();
  const NativeStream native(rank.device().index);
  Stream stream = Stream::borrow(rank.device(), native.get());
  Graph graph(native.get());
  rank.start(moved.call.on(stream));
  graph.end();
  for (int turn = 0; turn < 12; ++turn) {
    const auto given = [turn](int of, std::size_t i) {
      return static_cast<float>(1000 * of + 5000 * turn) + static_cast<float>(i % 499);
    };
    std::vector<float> input(moved.input_count);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = given(rank.rank(), i);
    memory.write(0, input);
    memory.write(moved.input_count, std::vector<float>(moved.output_count, -1));
    graph.launch();
    stream.synchronize();
    const std::vector<float> output = memory.read(moved.input_count, moved.output_count);
    for (std::size_t i = 0; i < output.size(); ++i)
      ASSERT_EQ(output[i], moved.result(rank.rank(), i, given)) << i << " in turn " << turn;
  }
  rank.barrier();
}

/// `make`: of a memory with the input in front of the output.
void check_captured_on_all(const std::function<Moved(Memory<float>&)>& make) {
  spawn({.size = kRanks,
         .device = {DeviceKind::kCuda, 0},
         .devices = std::min(2, device_count(DeviceKind::kCuda))},
        [&](Communicator& rank) {
          Memory<float> memory(rank.device(), 2 * kRanks * kPart, false);
          check_captured(rank, memory, make(memory));
        });
}

TEST(CudaGraph, CapturedReduceScatter_IsMadeByEachLaunch) {
  check_captured_on_all([](Memory<float>& memory) {
    constexpr std::size_t kAll = kRanks * kPart;
    return Moved{Call::reduce_scatter(memory.buffer(0, kAll), memory.buffer(kAll, kPart)), kAll,
                 kPart, [](int rank, std::size_t i, const auto& given) {
                   const std::size_t at = static_cast<std::size_t>(rank) * kPart + i;
                   return given(0, at) + given(1, at) + given(2, at);
                 }};
  });
}

TEST(CudaGraph, CapturedAllGather_IsMadeByEachLaunch) {
  check_captured_on_all([](Memory<float>& memory) {
    return Moved{Call::all_gather(memory.buffer(0, kPart), memory.buffer(kPart, kRanks * kPart)),
                 kPart, kRanks * kPart, [](int, std::size_t i, const auto& given) {
                   return given(static_cast<int>(i / kPart), i % kPart);
                 }};
  });
}

TEST(CudaGraph, CapturedAllToAll_IsMadeByEachLaunch) {
  check_captured_on_all([](Memory<float>& memory) {
    constexpr std::size_t kAll = kRanks * kPart;
    return Moved{Call::all_to_all(memory.buffer(0, kAll), memory.buffer(kAll, kAll)), kAll, kAll,
                 [](int rank, std::size_t i, const auto& given) {
                   const std::size_t at = static_cast<std::size_t>(rank) * kPart + i % kPart;
                   return given(static_cast<int>(i / kPart), at);
                 }};
  });
}

/// Kernels that wait for each other have to have room at once.
TEST(CudaGraph, CommunicatorsThatShareADevice_TakeItsBlocksOnlyOnce) {
  auto first = make_world({.size = 2, .device = {DeviceKind::kCuda, 0}, .devices = 1});
  auto second = make_world({.size = 2, .device = {DeviceKind::kCuda, 0}, .devices = 1});
  const auto sum = [](Communicator& rank) {
    Memory<float> memory(rank.device(), 8, false);
    memory.write(0, std::vector<float>(8, 1));
    rank.all_reduce(memory.buffer(0, 8));
  };
  EXPECT_THAT(run_ranks(first, sum), Each(""));
  EXPECT_THAT(run_ranks(second, sum), Each(HasSubstr("RONDO_DEVICE_PATH=auto")));
  first.clear();
  auto third = make_world({.size = 2, .device = {DeviceKind::kCuda, 0}, .devices = 1});
  EXPECT_THAT(run_ranks(third, sum), Each(""));
  third.clear();
  // What one leaves is there for another.
  const ScopedVariable few("RONDO_KERNEL_BLOCKS", "8");
  auto fourth = make_world({.size = 2, .device = {DeviceKind::kCuda, 0}, .devices = 1});
  auto fifth = make_world({.size = 2, .device = {DeviceKind::kCuda, 0}, .devices = 1});
  EXPECT_THAT(run_ranks(fourth, sum), Each(""));
  EXPECT_THAT(run_ranks(fifth, sum), Each(""));
}

TEST(CudaGraph, BlocksThatAreNoNumber_AreRefused) {
  const ScopedVariable blocks("RONDO_KERNEL_BLOCKS", "5");
  std::string said;
  try {
    make_world({.size = 2, .device = {DeviceKind::kCuda, 0}, .devices = 1});
  } catch (const Error& error) {
    said = error.what();
  }
  EXPECT_THAT(said, HasSubstr("RONDO_KERNEL_BLOCKS"));
}

TEST(CudaGraph, WhereARankDoesNotCapture_BothAreTold) {
  auto ranks = make_world({.size = 2, .device = {DeviceKind::kCuda, 0}, .devices = 1});
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    Memory<float> memory(rank.device(), 8, false);
    memory.write(0, std::vector<float>(8, 1));
    rank.all_reduce(memory.buffer(0, 8));
    const NativeStream native(rank.device().index);
    Stream stream = Stream::borrow(rank.device(), native.get());
    if (rank.rank() == 0) return rank.all_reduce(memory.buffer(0, 8));
    Graph graph(native.get());
    try {
      rank.start(Call::all_reduce(memory.buffer(0, 8)).on(stream));
    } catch (...) {
      graph.end();
      throw;
    }
  });
  EXPECT_THAT(errors, Each(HasSubstr("Mismatch")));
}

class CaptureInMode : public ::testing::TestWithParam<CUstreamCaptureMode> {};

/// With all that the first call makes, in streams and memory of its own, while others capture, too.
TEST_P(CaptureInMode, OfCallsThatWereNotMadeBefore_IsMadeByEachLaunch) {
  std::barrier all_ranks(3);
  const auto meet = [&] { all_ranks.arrive_and_wait(); };
  spawn(
      {.size = 3, .device = device_of(0), .devices = std::min(2, device_count(DeviceKind::kCuda))},
      [&](Communicator& rank) {
        constexpr std::size_t kCount = 5'003;
        Memory<float> memory(rank.device(), kCount, false);
        const Buffer buffer = memory.buffer(0, kCount);
        const NativeStream native(rank.device().index);
        Stream stream = Stream::borrow(rank.device(), native.get());
        Prepared prepared = rank.prepare(Call::all_reduce(buffer).on(stream));
        meet();
        Graph graph(native.get(), GetParam());
        prepared.run();
        rank.start(Call::all_reduce(buffer, ReduceOp::kMax).on(stream));
        prepared.start();
        meet();
        graph.end(meet);
        for (int turn = 1; turn < 4; ++turn) {
          memory.write(0, std::vector<float>(kCount, static_cast<float>(turn)));
          graph.launch();
          stream.synchronize();
          ASSERT_THAT(memory.read(0, kCount), Each(9.0F * static_cast<float>(turn)));
        }
        rank.barrier();
      });
}

INSTANTIATE_TEST_SUITE_P(Modes, CaptureInMode,
                         ::testing::Values(CU_STREAM_CAPTURE_MODE_GLOBAL,
                                           CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                           CU_STREAM_CAPTURE_MODE_RELAXED));

/// As another library may, for work of its own: nothing of it may be spoilt by ours. (By the other
/// rank's making and destroying of streams it would be.)
TEST(CudaGraph, CaptureOfAnotherThread_IsLeftAloneByCallsMeanwhile) {
  std::barrier both_ranks(2);
  const auto meet = [&] { both_ranks.arrive_and_wait(); };
  spawn({.size = 2, .device = device_of(0), .devices = 1}, [&](Communicator& rank) {
    const NativeStream native(rank.device().index);
    meet();
    Graph graph(native.get(), CU_STREAM_CAPTURE_MODE_GLOBAL);
    std::thread([&] {
      Memory<float> memory(rank.device(), 8, false);
      memory.write(0, std::vector<float>(8, 1));
      rank.start(Call::all_reduce(memory.buffer(0, 8))).wait();
      EXPECT_THAT(memory.read(0, 8), Each(2));
    }).join();
    graph.end(meet);
  });
}

/// What rank 1 learns in its next call when it has launched a graph of an all-reduce, and rank 0
/// does `instead`. The graph has ended by then.
std::string error_after_graph_of_two(const RankFunction& instead) {
  auto ranks = make_world({.size = 2, .device = {DeviceKind::kCuda, 0}, .devices = 1});
  std::array<std::optional<Memory<float>>, 2> memories;  // rank 1's kernel reads that of rank 0
  std::barrier both_have_captured(2);
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    Memory<float>& memory =
        memories.at(static_cast<std::size_t>(rank.rank())).emplace(rank.device(), 8, false);
    rank.all_reduce(memory.buffer(0, 8));
    const NativeStream native(rank.device().index);
    Stream stream = Stream::borrow(rank.device(), native.get());
    Graph graph(native.get());
    rank.start(Call::all_reduce(memory.buffer(0, 8)).on(stream));
    graph.end();
    both_have_captured.arrive_and_wait();
    if (rank.rank() == 0) return instead(rank);
    graph.launch();
    stream.synchronize();
    rank.all_reduce(memory.buffer(0, 8));
  });
  return errors[1];
}

TEST(CudaGraph, WhosePeerAborts_Ends_AndTheNextCallSaysWhy) {
  const std::string error = error_after_graph_of_two(
      [](Communicator& rank) { rank.abort(Error(ErrorCode::kCancelled, "no more data")); });
  EXPECT_THAT(error, AllOf(HasSubstr("no more data"), HasSubstr("rank 0")));
}

TEST(CudaGraph, WhosePeerLeaves_Ends_AndTheNextCallSaysWho) {
  const std::string error = error_after_graph_of_two([](Communicator& rank) {
    // What rank 1's kernel writes to goes with it, so the kernel has begun before.
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    const Communicator gone = std::move(rank);
  });
  EXPECT_THAT(error, HasSubstr("rank 0 (a place of this process) destroyed its communicator"));
}

TEST(CudaGraph, OfACallOfTheHosts_IsRefused) {
  spawn({.size = 2, .device = device_of(0), .devices = 1}, [](Communicator& rank) {
    Memory<float> memory(rank.device(), 8, false);
    const NativeStream native(rank.device().index);
    Stream stream = Stream::borrow(rank.device(), native.get());
    Graph graph(native.get());
    std::string message;
    try {
      rank.start(Call::barrier().on(stream));  // which has nothing on the device
    } catch (const Error& error) {
      message = error.what();
    }
    EXPECT_THAT(message, HasSubstr("RONDO_DEVICE_PATH=kernel"));
    graph.end();
  });
}

}  // namespace
}  // namespace rondo::testing
