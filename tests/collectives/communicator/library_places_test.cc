// Whole collectives by the library of the devices: NCCL, acted (tests/fake_cuda), which RONDO_NCCL
// names. What it puts into streams is late, and isn't there before it says so.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
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
using ::testing::IsNan;

constexpr Device kFirst{DeviceKind::kCuda, 0};

/// A device for each, as NCCL wants it.
World world(int size, int timeout_ms = 60'000) {
  return {.size = size, .device = kFirst, .devices = size, .timeout_ms = timeout_ms};
}

/// Makes the `call`-th thing that `rank` asks of NCCL fail behind it; none for rank -1.
void fail(int rank, int call, int code) {
  static const auto function = reinterpret_cast<void (*)(int, int, int)>(
      ::dlsym(::dlopen(std::getenv("RONDO_NCCL"), RTLD_NOW | RTLD_LOCAL), "fake_nccl_fail"));
  function(rank, call, code);
}
constexpr int kSystemError = 2;
constexpr int kRemoteError = 6;

void call_once(Communicator& rank) {
  Memory<float> memory(rank.device(), 1'000, false);
  memory.write(0, std::vector<float>(1'000, 0.5F));
  rank.all_reduce(memory.buffer(0, 1'000));
}

/// A library doesn't say what it moves: whole calls of it are the hosts' notices alone, while our
/// schedules' messages are known.
TEST(LibraryPlaces, Traffic_IsKnownOfOurSchedulesAlone) {
  constexpr std::size_t kCount = 10'000;
  constexpr std::uint64_t kBytes = kCount * sizeof(float);
  const auto sent_by = [](const char* path) {
    World made = world(2);
    made.device_path = path;
    std::uint64_t sent = 0;
    spawn(made, [&sent](Communicator& rank) {
      Memory<float> memory(rank.device(), kCount, false);
      memory.write(0, std::vector<float>(kCount, 1));
      for (int i = 0; i < 3; ++i) rank.all_reduce(memory.buffer(0, kCount));
      if (rank.rank() == 0) sent = rank.traffic().at(0).sent_bytes;
    });
    return sent;
  };
  EXPECT_LT(sent_by("library"), kBytes);
  const std::uint64_t by_messages = sent_by("messages");
  EXPECT_GE(by_messages, 3 * kBytes);
  EXPECT_LT(by_messages, 4 * kBytes);
}

TEST(LibraryPlaces, ACallIsMadeWhole_AndSaysBy_Whom) {
  spawn(world(4), [](Communicator& rank) {
    for (int turn = 0; turn < 5; ++turn) {
      Memory<float> memory(rank.device(), 40'001, false);
      memory.write(0, std::vector<float>(40'001, 0.25F + static_cast<float>(rank.rank() + turn)));
      rank.all_reduce(memory.buffer(0, 40'001));
      EXPECT_THAT(memory.read(0, 40'001), Each(7.0F + 4.0F * static_cast<float>(turn)));
      EXPECT_EQ(rank.last_call().algorithm, "nccl");
      EXPECT_EQ(rank.last_call().transport, "cuda");
    }
  });
}

TEST(LibraryPlaces, WhatItCannotReduce_GoesAnotherWay) {
  spawn(world(2), [](Communicator& rank) {
    Memory<std::int32_t> memory(rank.device(), 100, false);
    memory.write(0, std::vector<std::int32_t>(100, 12 | (1 << rank.rank())));
    rank.all_reduce(memory.buffer(0, 100), ReduceOp::kBitAnd);
    EXPECT_THAT(memory.read(0, 100), Each(12));
    EXPECT_NE(rank.last_call().algorithm, "nccl");
    // Rounded towards zero, as everywhere in Rondo.
    memory.write(0, std::vector<std::int32_t>(100, -2 - rank.rank()));
    rank.all_reduce(memory.buffer(0, 100), ReduceOp::kAvg);
    EXPECT_THAT(memory.read(0, 100), Each(-2));
  });
}

/// NCCL's min and max of floats pass over them.
TEST(LibraryPlaces, NansOfTheLargest_AreKept) {
  spawn(world(2), [](Communicator& rank) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    Memory<float> memory(rank.device(), 100, false);
    memory.write(0, std::vector<float>(100, rank.rank() == 0 ? kNan : 1.5F));
    rank.all_reduce(memory.buffer(0, 100), ReduceOp::kMax);
    EXPECT_THAT(memory.read(0, 100), Each(IsNan()));
    EXPECT_NE(rank.last_call().algorithm, "nccl");
  });
}

/// Nobody knows in which order it adds.
TEST(LibraryPlaces, ALibraryAndDeterminism_ExcludeEachOther) {
  World wanted = world(2);
  wanted.device_path = "library";
  wanted.deterministic = true;
  try {
    make_world(wanted);
    ADD_FAILURE() << "made";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.message(), AllOf(HasSubstr("RONDO_DETERMINISTIC"),
                                       HasSubstr("RONDO_DEVICE_PATH"), HasSubstr("library")));
  }
}

TEST(LibraryPlaces, TwoRanksOnOneDevice_GoAnotherWay) {
  spawn({.size = 3, .device = kFirst, .devices = 2}, [](Communicator& rank) {
    call_once(rank);
    EXPECT_NE(rank.last_call().algorithm, "nccl");
    EXPECT_EQ(rank.last_call().transport, "cuda");
  });
}

TEST(LibraryPlaces, WhoAsksForAnAlgorithm_GetsIt) {
  World wanted = world(2);
  wanted.algorithm = "ring";
  spawn(wanted, [](Communicator& rank) {
    call_once(rank);
    EXPECT_EQ(rank.last_call().algorithm, "ring");
  });
}

/// What NCCL makes of it is NCCL's business.
TEST(LibraryPlaces, DevicesThatCannotReachEachOther_ExchangeItsMessages) {
  const ScopedVariable pairs("FAKE_CUDA_UNREACHABLE", "0:1,1:0");
  World wanted = world(3);
  wanted.algorithm = "ring";
  spawn(wanted, [](Communicator& rank) {
    call_once(rank);
    EXPECT_EQ(rank.last_call().algorithm, "ring");
    EXPECT_EQ(rank.last_call().transport, "cuda");
  });
  wanted.device_path = "devices";
  spawn(wanted, [](Communicator& rank) {
    call_once(rank);
    EXPECT_EQ(rank.last_call().transport, "inproc");
  });
}

TEST(LibraryPlaces, CallInAStream_IsMadeInItsPlace) {
  spawn(world(3), [](Communicator& rank) {
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
      ASSERT_THAT(sums, Each(4.5F));
      work.wait();
    }
  });
}

TEST(LibraryPlaces, RankThatDoesNotCall_IsNamedByAllOthers) {
  auto ranks = make_world(world(3, 2000));
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    call_once(rank);
    if (rank.rank() != 1) call_once(rank);
  });
  EXPECT_EQ(errors[1], "");
  EXPECT_THAT(errors[0], AllOf(HasSubstr("Timeout"), HasSubstr("rank 1")));
  EXPECT_THAT(errors[2], HasSubstr("rank 1"));
}

/// NCCL would add and take the largest of the same numbers, and say nothing.
TEST(LibraryPlaces, RanksThatCallDifferently_AreTold) {
  auto ranks = make_world(world(3, 20'000));
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    Memory<float> memory(rank.device(), 1'000, false);
    memory.write(0, std::vector<float>(1'000, 1));
    rank.all_reduce(memory.buffer(0, 1'000), rank.rank() == 2 ? ReduceOp::kMax : ReduceOp::kSum);
  });
  EXPECT_THAT(errors, Each(HasSubstr("Mismatch")));
}

/// NCCL would write past the end, or wait for good.
TEST(LibraryPlaces, MessageOfAnotherSizeThanExpected_IsRefusedBeforeItIsSent) {
  auto ranks = make_world(world(2, 20'000));
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    Memory<float> memory(rank.device(), 64, false);
    memory.write(0, std::vector<float>(64, 1));
    const bool first = rank.rank() == 0;
    const std::vector<std::size_t> sends =
        first ? std::vector<std::size_t>{4, 8} : std::vector<std::size_t>{4, 4};
    const std::vector<std::size_t> receives = {4, 4};
    rank.all_to_all_v(memory.buffer(0, first ? 12 : 8), sends, memory.buffer(32, 8), receives);
  });
  EXPECT_THAT(errors, ::testing::Contains(AllOf(HasSubstr("Mismatch"), HasSubstr("8 elements"))));
  EXPECT_THAT(errors, Each(HasSubstr("elements")));
}

TEST(LibraryPlaces, WhatFailsInIt_EndsTheCallOnAllRanks) {
  auto ranks = make_world(world(3, 20'000));
  fail(1, 2, kSystemError);
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    call_once(rank);
    call_once(rank);
  });
  fail(-1, 0, 0);
  EXPECT_THAT(errors[1], AllOf(HasSubstr("NCCL"), HasSubstr("NCCL_DEBUG")));
  EXPECT_THAT(errors, Each(AllOf(HasSubstr("Device"), HasSubstr("rank 1"))));
}

/// It doesn't say whom; nobody is lost here, so after a second that is all there is to say.
TEST(LibraryPlaces, PeerThatItHasLost_IsAskedForAmongTheEndpoints) {
  auto ranks = make_world(world(2, 20'000));
  fail(0, 1, kRemoteError);
  const auto errors = run_ranks(ranks, call_once);
  fail(-1, 0, 0);
  EXPECT_THAT(errors, Each(AllOf(HasSubstr("PeerLost"), HasSubstr("connection broke"))));
}

TEST(LibraryPlaces, PeerThatItHasLost_IsNamedOnceAnEndpointKnows) {
  auto ranks = make_world(world(2, 20'000));
  fail(0, 2, kRemoteError);
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    call_once(rank);
    if (rank.rank() == 0) return call_once(rank);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    rank.abort(Error(ErrorCode::kCancelled, "gone fishing"));
  });
  fail(-1, 0, 0);
  EXPECT_THAT(errors[0], AllOf(HasSubstr("rank 1"), HasSubstr("gone fishing")));
}

/// Ours, with its messages for channels.
World by_messages(int size, const char* algorithm) {
  World made = world(size, 20'000);
  made.device_path = "messages";
  made.algorithm = algorithm;
  return made;
}

/// Halves, of which every order of additions makes other 16 bits.
std::vector<kernels::Half> halves_summed(const World& wanted) {
  constexpr std::size_t kCount = 3'001;
  std::vector<std::vector<kernels::Half>> sums(static_cast<std::size_t>(wanted.size));
  spawn(wanted, [&sums](Communicator& rank) {
    std::vector<kernels::Half> values;
    for (std::size_t i = 0; i < kCount; ++i)
      values.emplace_back(1.0F + static_cast<float>(i % 1'000) / 999.0F *
                                     (0.7F + static_cast<float>(rank.rank())));
    Memory<kernels::Half> memory(rank.device(), kCount, false);
    memory.write(0, values);
    rank.all_reduce(memory.buffer(0, kCount));
    sums[static_cast<std::size_t>(rank.rank())] = memory.read(0, kCount);
  });
  EXPECT_THAT(sums, Each(sums.front()));
  return sums.front();
}

TEST(LibraryPlaces, OurScheduleByItsMessages_HasTheBitsOfEveryOtherWay) {
  for (const char* algorithm : {"ring", "direct", "double_binary_tree", "halving_doubling"}) {
    World wanted = by_messages(5, algorithm);
    const auto sums = halves_summed(wanted);
    for (const char* path : {"devices", "host"}) {
      wanted.device_path = path;
      EXPECT_EQ(halves_summed(wanted), sums) << algorithm << ", " << path;
    }
  }
}

TEST(LibraryPlaces, OurScheduleByItsMessages_IsWhatItSays) {
  auto ranks = make_world(by_messages(3, "ring"));
  EXPECT_THAT(run_ranks(ranks, call_once), Each(""));
  EXPECT_EQ(ranks[0].last_call().algorithm, "ring");
  EXPECT_EQ(ranks[0].last_call().transport, "cuda");
  ranks.clear();
  // The third of the ring's groups.
  fail(1, 3, kSystemError);
  ranks = make_world(by_messages(3, "ring"));
  const auto errors = run_ranks(ranks, call_once);
  fail(-1, 0, 0);
  EXPECT_THAT(errors[1], AllOf(HasSubstr("NCCL"), HasSubstr("NCCL_DEBUG")));
  EXPECT_THAT(errors, Each(AllOf(HasSubstr("Device"), HasSubstr("rank 1"))));
}

TEST(LibraryPlaces, OurScheduleByItsMessages_LateRankIsNamed) {
  World wanted = by_messages(3, "bidirectional_ring");
  wanted.timeout_ms = 3000;
  auto ranks = make_world(wanted);
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    call_once(rank);
    if (rank.rank() != 2) call_once(rank);
  });
  EXPECT_THAT(errors[0], HasSubstr("rank 2"));
  EXPECT_THAT(errors[1], HasSubstr("rank 2"));
}

TEST(LibraryPlaces, OurScheduleByItsMessages_RefusesAnotherSizeThanExpected) {
  auto ranks = make_world(by_messages(2, "auto"));
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    Memory<float> memory(rank.device(), 64, false);
    memory.write(0, std::vector<float>(64, 1));
    const bool first = rank.rank() == 0;
    const std::vector<std::size_t> sends =
        first ? std::vector<std::size_t>{4, 8} : std::vector<std::size_t>{4, 4};
    rank.all_to_all_v(memory.buffer(0, first ? 12 : 8), sends, memory.buffer(32, 8),
                      std::vector<std::size_t>{4, 4});
  });
  EXPECT_THAT(errors, ::testing::Contains(AllOf(HasSubstr("Mismatch"), HasSubstr("8 elements"))));
}

TEST(LibraryPlaces, PartsThatRanksSeeDifferently_AreRefusedBeforeAnythingIsSent) {
  for (const char* path : {"library", "messages"}) {
    World wanted = world(2, 20'000);
    wanted.device_path = path;
    auto ranks = make_world(wanted);
    const auto errors = run_ranks(ranks, [&](Communicator& rank) {
      Memory<float> memory(rank.device(), 64, false);
      memory.write(0, std::vector<float>(64, 1));
      const bool first = rank.rank() == 0;
      rank.all_gather_v(memory.buffer(0, first ? 1 : 2), memory.buffer(32, 4),
                        first ? std::vector<std::size_t>{1, 3} : std::vector<std::size_t>{2, 2});
    });
    EXPECT_THAT(errors, Each(AllOf(HasSubstr("Mismatch"), HasSubstr("counts #")))) << path;
  }
}

TEST(LibraryPlaces, MessagesWithAWireFormat_AreRefused) {
  World wanted = by_messages(2, "ring");
  wanted.wire_format = "bf16";
  EXPECT_THAT([&] { make_world(wanted); },
              ::testing::ThrowsMessage<Error>(HasSubstr("a wire format is asked for")));
}

TEST(LibraryPlaces, SplitWorlds_HaveCommunicatorsOfTheirOwn) {
  spawn(world(4), [](Communicator& rank) {
    call_once(rank);
    auto half = rank.split(rank.rank() % 2, rank.rank());
    ASSERT_TRUE(half.has_value());
    Memory<float> memory(rank.device(), 10, false);
    memory.write(0, std::vector<float>(10, static_cast<float>(rank.rank())));
    half->all_reduce(memory.buffer(0, 10));
    EXPECT_THAT(memory.read(0, 10), Each(rank.rank() % 2 == 0 ? 2.0F : 4.0F));
    EXPECT_EQ(half->last_call().algorithm, "nccl");
    call_once(rank);
  });
}

TEST(LibraryPlaces, WhoAsksForMessagesOfALibraryThatCannotServe_IsToldWhy) {
  World wanted = by_messages(3, "ring");
  wanted.devices = 2;
  EXPECT_THAT([&] { make_world(wanted); },
              ::testing::ThrowsMessage<Error>(AllOf(HasSubstr("RONDO_DEVICE_PATH=messages"),
                                                    HasSubstr("ranks 0 and 2 are on one device"))));
}

TEST(LibraryPlaces, WhoAsksForALibraryThatCannotServe_IsToldWhy) {
  ::setenv("RONDO_DEVICE_PATH", "library", 1);
  EXPECT_THAT([] { make_world({.size = 3, .device = kFirst, .devices = 2}); },
              ::testing::ThrowsMessage<Error>(
                  AllOf(HasSubstr("ranks 0 and 2 are on one device"), HasSubstr("nccl 2.28.7"))));
  ::unsetenv("RONDO_DEVICE_PATH");
}

}  // namespace
}  // namespace rondo::testing
