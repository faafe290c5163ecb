// Places on CUDA devices, by a driver that is acted (tests/fake_cuda), which RONDO_CUDA_DRIVER
// names.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/hidden_message.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/waiting_schedule.h"
#include "tests/core/scoped_variable.h"

namespace rondo::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr Device kFirst{DeviceKind::kCuda, 0};

/// Two, where there are two: on a GPU there may be one for all.
int devices() { return std::min(2, device_count(DeviceKind::kCuda)); }

template <typename T>
std::string transport_of_all_reduce(const Reduction& op) {
  std::string transport;
  spawn({.size = 3, .device = kFirst, .devices = devices()}, [&](Communicator& rank) {
    Memory<T> memory(rank.device(), 1'000, false);
    memory.write(0, std::vector<T>(1'000, T(3)));
    rank.all_reduce(memory.buffer(0, 1'000), op);
    if (rank.rank() == 0) transport = rank.last_call().transport;
  });
  return transport;
}

TEST(CudaPlaces, EveryTypeAndOp_StaysOnTheDevices) {
  EXPECT_EQ(transport_of_all_reduce<float>(ReduceOp::kSum), "cuda");
  EXPECT_EQ(transport_of_all_reduce<std::int64_t>(ReduceOp::kMax), "cuda");
  EXPECT_EQ(transport_of_all_reduce<std::uint8_t>(ReduceOp::kAvg), "cuda");
  EXPECT_EQ(transport_of_all_reduce<std::int32_t>(ReduceOp::kBitAnd), "cuda");
}

/// Long enough for several blocks, tiles and segments a rank.
TEST(CudaPlaces, LongSums_ByEveryAlgorithm_AreRight) {
  for (const char* algorithm : {"ring", "direct", "bidirectional_ring", "double_binary_tree",
                                "halving_doubling", "one_shot"}) {
    spawn({.size = 3,
           .algorithm = algorithm,
           .device = kFirst,
           .devices = devices(),
           .segment_bytes = std::size_t{96} << 10},
          [&](Communicator& rank) {
            const std::size_t count = 90'001;
            Memory<float> memory(rank.device(), count, false);
            std::vector<float> data(count);
            for (int turn = 0; turn < 3; ++turn) {
              for (std::size_t i = 0; i < count; ++i)
                data[i] =
                    static_cast<float>(i % 97) + 0.25F * static_cast<float>(rank.rank() + turn);
              memory.write(0, data);
              rank.all_reduce(memory.buffer(0, count));
              const std::vector<float> sums = memory.read(0, count);
              for (std::size_t i = 0; i < count; ++i) {
                const float want =
                    3 * static_cast<float>(i % 97) + 0.75F + 0.75F * static_cast<float>(turn);
                ASSERT_EQ(sums[i], want) << algorithm << " " << i << " in turn " << turn;
              }
            }
          });
  }
}

TEST(CudaPlaces, ScheduleWhoseLanesWaitForEachOther_RunsThere) {
  spawn({.size = 3,
         .device = kFirst,
         .devices = devices(),
         .segment_bytes = 4096,
         .schedule = waiting_schedule(3),
         .device_path = "devices"},
        [](Communicator& rank) {
          constexpr std::size_t kCount = 9'001;
          Memory<float> memory(rank.device(), kCount, false);
          for (int turn = 0; turn < 10; ++turn) {
            memory.write(0, std::vector<float>(kCount, static_cast<float>(rank.rank() + turn)));
            rank.all_reduce(memory.buffer(0, kCount));
            ASSERT_THAT(memory.read(0, kCount), Each(static_cast<float>(3 + 3 * turn)));
          }
          EXPECT_EQ(rank.last_call().algorithm, "star_of_two_lanes");
          EXPECT_EQ(rank.last_call().transport, "cuda");
        });
}

/// So many ranks on devices, driven by their hosts.
World many(int size, const std::string& algorithm, bool deterministic = false) {
  return {.size = size,
          .algorithm = algorithm,
          .device = kFirst,
          .devices = devices(),
          .deterministic = deterministic,
          .device_path = "devices"};
}

template <typename T>
void all_reduce_ones(Communicator& rank) {
  constexpr std::size_t kCount = 8;
  Memory<T> memory(rank.device(), kCount, false);
  memory.write(0, std::vector<T>(kCount, T(1)));
  rank.all_reduce(memory.buffer(0, kCount));
  for (const T value : memory.read(0, kCount))
    EXPECT_EQ(static_cast<float>(value), static_cast<float>(rank.size()));
  EXPECT_EQ(rank.last_call().transport, "cuda");
}

/// The algorithm of such a call, right as it must be.
template <typename T>
std::string algorithm_of_ones(const World& world) {
  std::string by;
  spawn(world, [&by](Communicator& rank) {
    all_reduce_ones<T>(rank);
    if (rank.rank() == 0) by = rank.last_call().algorithm;
  });
  return by;
}

TEST(CudaPlaces, DirectAllReduce_OfMoreThanOneLaunchTakes_IsRight) {
  if (std::getenv("RONDO_CUDA_DRIVER") == nullptr) GTEST_SKIP() << "no acted driver";
  EXPECT_EQ(algorithm_of_ones<float>(many(61, "direct")), "direct");
  EXPECT_EQ(algorithm_of_ones<kernels::Half>(many(61, "direct")), "direct");
}

// A sum of 120 floats that is stored once may be refused, in place; of 16-bit ones every sum is.
TEST(CudaPlaces, WhatTheKernelsMayRefuse_IsNotChosenWhereThereIsAnother) {
  if (std::getenv("RONDO_CUDA_DRIVER") == nullptr) GTEST_SKIP() << "no acted driver";
  EXPECT_EQ(algorithm_of_ones<float>(many(119, "auto", true)), "one_shot");
  EXPECT_THAT(algorithm_of_ones<float>(many(120, "auto", true)),
              AnyOf("direct", "weighted_direct"));
  auto ranks = make_world(many(120, "auto", true));
  EXPECT_THAT(run_ranks(ranks, all_reduce_ones<kernels::Half>),
              Each(AllOf(HasSubstr("of at most 120"), HasSubstr("RONDO_ALGO"))));
}

/// How an all-reduce of three ranks on three devices was made, right as it must be.
std::string transport_where(const char* unreachable, const std::string& path,
                            const std::string& transport = "inproc") {
  const ScopedVariable pairs("FAKE_CUDA_UNREACHABLE", unreachable);
  std::string by;
  spawn({.size = 3, .transport = transport, .device = kFirst, .devices = 3, .device_path = path},
        [&](Communicator& rank) {
          Memory<float> memory(rank.device(), 9'000, false);
          memory.write(0, std::vector<float>(9'000, 0.5F + static_cast<float>(rank.rank())));
          rank.all_reduce(memory.buffer(0, 9'000));
          EXPECT_THAT(memory.read(0, 9'000), Each(4.5F));
          if (rank.rank() == 0) by = rank.last_call().transport;
        });
  return by;
}

TEST(CudaPlaces, DevicesOfWhichOneCannotReachAnother_GoByWayOfTheHost) {
  if (device_count(DeviceKind::kCuda) < 4 || std::getenv("RONDO_CUDA_DRIVER") == nullptr)
    GTEST_SKIP() << "no acted driver of four devices: RONDO_CUDA_DRIVER";
  for (const char* path : {"auto", "devices", "kernel"}) {
    EXPECT_EQ(transport_where("", path), "cuda") << path;
    EXPECT_EQ(transport_where("0:1", path), "inproc") << path;
    EXPECT_EQ(transport_where("2:0", path), "inproc") << path;
    EXPECT_EQ(transport_where("2:3,3:0", path), "cuda") << path << ": no rank is on the fourth";
    EXPECT_EQ(transport_where("0:1", path, "tcp"), "cuda") << path << ": by page-locked memory";
    // CUDA opens no handle in the process that has made it.
    EXPECT_EQ(transport_where("", path, "shm"), "shm") << path;
  }
}

TEST(CudaPlaces, CallInAStream_IsMadeInItsPlace) {
  spawn({.size = 2, .device = kFirst, .devices = devices()}, [](Communicator& rank) {
    Stream stream(rank.device());
    const DeviceMemory memory(rank.device(), 4'000);
    const std::vector<float> input(1'000, 1.5F);
    std::vector<float> sums(1'000);
    for (int turn = 0; turn < 20; ++turn) {
      stream.copy(memory.data(), input.data(), 4'000);
      Work work = rank.start(
          Call::all_reduce({memory.data(), 1'000, DataType::kF32, rank.device()}).on(stream));
      stream.copy(sums.data(), memory.data(), 4'000);
      stream.synchronize();
      ASSERT_THAT(sums, Each(3));
      work.wait();
    }
  });
}

TEST(CudaPlaces, RankThatDoesNotCall_IsNamedByAllOthers) {
  auto ranks = make_world({.size = 3, .device = kFirst, .devices = devices(), .timeout_ms = 2000});
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    Memory<float> memory(rank.device(), 1'000, false);
    memory.write(0, std::vector<float>(1'000, 1));
    if (rank.rank() != 1) rank.all_reduce(memory.buffer(0, 1'000));
  });
  EXPECT_EQ(errors[1], "");
  EXPECT_THAT(errors[0], ::testing::AllOf(HasSubstr("Timeout"), HasSubstr("rank 1")));
  EXPECT_THAT(errors[2], HasSubstr("rank 1"));
}

/// Whether hosts drive it or kernels do.
TEST(CudaPlaces, Traffic_IsWhatTheDevicesMove) {
  constexpr std::size_t kCount = 10'000;
  constexpr std::uint64_t kBytes = kCount * sizeof(float);  // of two ranks each sends as many
  spawn({.size = 2, .algorithm = "ring", .device = kFirst, .devices = devices()},
        [](Communicator& rank) {
          Memory<float> memory(rank.device(), kCount, false);
          memory.write(0, std::vector<float>(kCount, 1));
          for (int i = 0; i < 3; ++i) rank.all_reduce(memory.buffer(0, kCount));
          const PeerTraffic peer = rank.traffic().at(0);
          EXPECT_GE(peer.sent_bytes, 3 * kBytes);
          EXPECT_LT(peer.sent_bytes, 4 * kBytes);
          EXPECT_GE(peer.received_bytes, 3 * kBytes);
          EXPECT_LT(peer.received_bytes, 4 * kBytes);
        });
}

/// Of a real profiler's there is nothing to see here.
TEST(CudaPlaces, CallsAreRangesInNvtx) {
  const char* const profiler = std::getenv("NVTX_INJECTION64_PATH");
  if (profiler == nullptr) GTEST_SKIP() << "no acted profiler: NVTX_INJECTION64_PATH";
  const auto ranges = reinterpret_cast<void (*)(int*, int*, const char**)>(
      ::dlsym(::dlopen(profiler, RTLD_NOW | RTLD_LOCAL), "fake_nvtx_ranges"));
  ASSERT_NE(ranges, nullptr);
  int before = 0;
  int begun = 0;
  int ended = 0;
  const char* name = nullptr;
  ranges(&before, &ended, &name);
  spawn({.size = 2, .algorithm = "ring", .device = kFirst, .devices = devices()},
        [](Communicator& rank) {
          Memory<float> memory(rank.device(), 7, false);
          memory.write(0, std::vector<float>(7, 1));
          rank.all_reduce(memory.buffer(0, 7), ReduceOp::kMax);
        });
  ranges(&begun, &ended, &name);
  EXPECT_EQ(begun - before, 2);
  EXPECT_EQ(ended, begun);
  EXPECT_STREQ(name, "rondo all_reduce(count=7, f32, max, on devices) by ring");
}

/// Makes a stream fail by a copy of more than there is, which drivers tell at once, or behind what
/// comes before it.
class Overrun {
 public:
  explicit Overrun(Stream& stream) : small_(stream.device(), 64) {
    try {
      stream.copy(small_.data(), host_.data(), sizeof(host_));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kDevice) << error.what();
    }
  }

 private:
  std::array<float, 32> host_{};
  DeviceMemory small_;
};

/// Its kernel is being waited for by the others': they are told to give up.
void expect_stream_that_fails_to_end_the_call() {
  auto ranks =
      make_world({.size = 3, .device = kFirst, .devices = devices(), .timeout_ms = 20'000});
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    Memory<float> memory(rank.device(), 90'000, false);
    memory.write(0, std::vector<float>(90'000, 1));
    Stream stream(rank.device());
    std::optional<Overrun> overrun;
    if (rank.rank() == 1) overrun.emplace(stream);
    rank.start(Call::all_reduce(memory.buffer(0, 90'000)).on(stream)).wait();
  });
  EXPECT_THAT(errors,
              Each(AllOf(HasSubstr("Device"), HasSubstr(" of cuda:"), HasSubstr("[rank "))));
}

TEST(CudaPlaces, StreamThatFails_EndsTheCallOnAllRanks) {
  expect_stream_that_fails_to_end_the_call();
}

/// Where a driver is acted.
TEST(CudaPlaces, StreamThatFailsLater_EndsTheCallOnAllRanks) {
  const ScopedVariable later("FAKE_CUDA_TELLS_LATER", "1");
  expect_stream_that_fails_to_end_the_call();
}

/// As a device fails whose peer's memory is gone: drivers don't say whose it was, and the peer's
/// loss is known later.
TEST(CudaPlaces, DeviceThatFailsBeforeItsPeerIsKnownToBeLost_BlamesThePeer) {
  auto ranks =
      make_world({.size = 2, .device = kFirst, .devices = devices(), .timeout_ms = 20'000});
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    Memory<float> memory(rank.device(), 1'000, false);
    memory.write(0, std::vector<float>(1'000, 1));
    Stream stream(rank.device());
    std::optional<Overrun> overrun;
    if (rank.rank() == 0) overrun.emplace(stream);
    Work work = rank.start(Call::all_reduce(memory.buffer(0, 1'000)).on(stream));
    if (rank.rank() == 1) {
      // house-allow(sleep): later than the other's device fails, sooner than it names itself.
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      rank.abort(Error(ErrorCode::kPeerLost, "it was lost"));
    }
    work.wait();
  });
  EXPECT_THAT(errors[0], HasSubstr("it was lost"));
  EXPECT_THAT(errors[1], HasSubstr("it was lost"));
}

/// Each needs more room for letters than those before.
TEST(CudaPlaces, CallsOfNewPlansWhileOneIsUnderWay_KeepTheirMail) {
  spawn({.size = 2, .device = kFirst, .devices = devices()}, [](Communicator& rank) {
    Memory<float> memory(rank.device(), 90'000, false);
    memory.write(0, std::vector<float>(90'000, 1));
    std::vector<Work> works;
    for (std::size_t count = 1'000; count <= 81'000; count += 8'000)
      works.push_back(rank.start(Call::all_reduce(memory.buffer(0, count))));
    for (Work& work : works) work.wait();
    EXPECT_EQ(memory.read(80'000, 1).front(), 2.0F);
    EXPECT_EQ(memory.read(0, 1).front(), 2048.0F);
  });
}

/// The host would fault at it; on a place of the device's, and on one of the host's.
TEST(CudaPlaces, MemoryOfADeviceGivenAsTheHosts_IsRefused) {
  for (const Device place : {kFirst, Device::host()}) {
    const DeviceMemory memory(kFirst, 16);
    auto ranks = make_world({.size = 2, .device = place, .devices = devices()});
    const auto errors = run_ranks(ranks, [&](Communicator& rank) {
      rank.all_reduce({memory.data(), 4, DataType::kF32, Device::host()});
    });
    EXPECT_THAT(errors, Each(::testing::AllOf(HasSubstr("InvalidArgument"), HasSubstr("kind cuda"),
                                              HasSubstr("name the device in the buffer"))));
    EXPECT_THAT(run_ranks(ranks,
                          [](Communicator& rank) {
                            float value = 0.5F;
                            rank.all_reduce({&value, 1, DataType::kF32, Device::host()});
                          }),
                Each(""));
  }
}

TEST(CudaPlaces, MessageOfADevicesMemoryGivenAsTheHosts_IsRefused) {
  for (const Device place : {kFirst, Device::host()})
    expect_hidden_messages_are_refused({.size = 2, .device = place, .devices = devices()}, kFirst);
}

TEST(CudaPlaces, MemoryOfTheHostOrOfAnotherDevice_IsRefusedByName) {
  auto ranks = make_world({.size = 2, .device = kFirst, .devices = devices()});
  std::vector<float> host(4);
  auto errors = run_ranks(ranks, [&](Communicator& rank) {
    rank.all_reduce({host.data(), 4, DataType::kF32, rank.device()});
  });
  EXPECT_THAT(errors, Each(HasSubstr("is memory that CUDA doesn't know")));
  if (device_count(DeviceKind::kCuda) < 3) GTEST_SKIP() << "there is no third device";
  const DeviceMemory third({DeviceKind::kCuda, 2}, 16);
  errors = run_ranks(ranks, [&](Communicator& rank) {
    rank.all_reduce({third.data(), 4, DataType::kF32, rank.device()});
  });
  EXPECT_THAT(errors, Each(HasSubstr("is memory of cuda:2")));
}

}  // namespace
}  // namespace rondo::testing
