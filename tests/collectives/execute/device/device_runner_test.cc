// All-reduces on emulated devices, whose streams run late in another way for each seed: the bits
// are those of the host's runner, and whoever leaves out a wait is found out.

#include "collectives/execute/device/device_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/collectives/execute/device/connected_ranks.h"
#include "tests/collectives/execute/device/device_rank.h"

namespace rondo::execute {
namespace {

using Values = std::vector<std::vector<float>>;  // by rank

constexpr std::size_t kCount = 1'003;
constexpr std::size_t kSegmentBytes = 512;
constexpr const char* kAlgorithms[] = {"ring",
                                       "direct",
                                       "recursive_doubling",
                                       "halving_doubling",
                                       "bidirectional_ring",
                                       "double_binary_tree",
                                       "neighbour_ring",
                                       "weighted_direct"};

Values draw_values(int world, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(-3, 3);
  Values values(static_cast<std::size_t>(world), std::vector<float>(kCount));
  for (auto& own : values)
    for (float& value : own) value = draw(random);
  return values;
}

/// What the host makes of the same schedule.
Values on_host(const Values& values, const char* algorithm) {
  auto ranks = connected<Rank>(transport::TransportKind::kInproc, static_cast<int>(values.size()));
  Values result = values;
  each<Rank>(ranks, [&](Rank& rank, std::size_t i) {
    const Status status = rank.all_reduce(result[i], ReduceOp::kSum, Path::kPlan, algorithm);
    EXPECT_TRUE(status.ok()) << status.to_string();
  });
  return result;
}

struct Way {
  bool in_place = false;
  bool in_stream = false;  ///< the input is written by a stream, which the call comes after
  int input_delay_ms = 0;
  int longest_pause_us = 60;
  std::optional<DeviceWait> left_out{};
  int first_seed = 0;
};

float* seen(std::byte* memory) { return static_cast<float*>(device::emulated_alias(memory)); }

/// A stream of the caller's.
class InputStream {
 public:
  explicit InputStream(DevicePlace& place)
      : stream_(place.driver().create_stream(place.device().index).value()),
        event_(place.driver().create_event(place.device().index).value()) {}
  ~InputStream() { EXPECT_TRUE(stream_->synchronize().ok()); }
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;

  const detail::EventImpl* after(std::function<Status()> work) {
    EXPECT_TRUE(stream_->launch(std::move(work)).ok());
    EXPECT_TRUE(stream_->record(*event_).ok());
    return event_.get();
  }

 private:
  std::shared_ptr<detail::StreamImpl> stream_;
  std::shared_ptr<detail::EventImpl> event_;
};

/// One call on each rank. As soon as a rank's call is over its input is overwritten, as any program
/// may: who still reads it then reads that.
Values on_devices(std::vector<DeviceRank>& ranks, const Values& values, const Way& way) {
  Values result(values.size());
  each<DeviceRank>(ranks, [&](DeviceRank& rank, std::size_t i) {
    const auto input = rank.allocate(kCount * sizeof(float)).value();
    const auto output = way.in_place ? input : rank.allocate(kCount * sizeof(float)).value();
    InputStream stream(rank.place());
    const auto write = [&] { std::ranges::copy(values[i], seen(input.get())); };
    const detail::EventImpl* ready = nullptr;
    if (way.in_stream) {
      ready = stream.after([&] {
        // house-allow(sleep): later than the hosts need to meet.
        std::this_thread::sleep_for(std::chrono::milliseconds(way.input_delay_ms));
        return write(), Status();
      });
    } else {
      write();
    }
    const Status status = rank.run(input.get(), output.get(), ready);
    result[i].assign(seen(output.get()), seen(output.get()) + kCount);
    std::fill_n(seen(input.get()), kCount, 1e9F);
    // Where a wait is left out, memory may be gone that is still to be read.
    EXPECT_TRUE(status.ok() || way.left_out) << status.to_string();
  });
  return result;
}

/// How many of `seeds` worlds, with other delays in each, end with other bits than the host's.
/// Where a wait is left out, until one does.
int wrong_worlds(transport::TransportKind kind, int world, const char* algorithm, int seeds,
                 const Way& way) {
  const Values values = draw_values(world, 5);
  const Values expected = on_host(values, algorithm);
  auto ranks = connected<DeviceRank>(kind, world);
  int wrong = 0;
  const bool one_is_enough = way.left_out.has_value();
  for (int i = 0; i < seeds && !(one_is_enough && wrong > 0); ++i) {
    const auto seed = static_cast<std::uint64_t>(way.first_seed + i);
    const auto driver = device::make_emulated_driver(
        {.memory_bytes = std::size_t{1} << 20,
         .lateness = {.seed = seed, .longest_us = way.longest_pause_us}});
    each<DeviceRank>(ranks, [&](DeviceRank& rank, std::size_t) {
      rank.use(*driver);
      const Status status = rank.plan(algorithm, kCount, kSegmentBytes, way.left_out);
      EXPECT_TRUE(status.ok()) << status.to_string();
    });
    if (on_devices(ranks, values, way) != expected) ++wrong;
    for (DeviceRank& rank : ranks) rank.use(*driver);  // lets go of plans, before the driver goes
  }
  return wrong;
}

TEST(DeviceRunner, FiveHundredSeeds_HaveTheBitsOfTheHost) {
  int seeds = 0;
  for (const char* algorithm : kAlgorithms) {
    for (const int world : {2, 3, 4, 5}) {
      for (const bool in_place : {false, true}) {
        EXPECT_EQ(wrong_worlds(transport::TransportKind::kInproc, world, algorithm, 8,
                               {.in_place = in_place, .first_seed = seeds}),
                  0)
            << algorithm << ", world " << world << ", seeds from " << seeds;
        seeds += 8;
      }
    }
  }
  EXPECT_GE(seeds, 500);
}

// Memory and events by handles, as between processes.
TEST(DeviceRunner, OverSharedMemory_HasTheBitsOfTheHost) {
  for (const char* algorithm : kAlgorithms) {
    EXPECT_EQ(wrong_worlds(transport::TransportKind::kShm, 4, algorithm, 6, {}), 0) << algorithm;
  }
}

TEST(DeviceRunner, InputsThatStreamsWrite_HaveTheBitsOfTheHost) {
  for (const char* algorithm : kAlgorithms) {
    EXPECT_EQ(
        wrong_worlds(transport::TransportKind::kInproc, 4, algorithm, 10, {.in_stream = true}), 0)
        << algorithm;
  }
}

TEST(DeviceRunner, WithoutTheWaitForTheInput_IsWrong) {
  int wrong = 0;
  // On cores that others have a call may begin later than its input is written.
  for (int again = 0; again < 5 && wrong == 0; ++again) {
    wrong = wrong_worlds(transport::TransportKind::kInproc, 3, "direct", 10,
                         {.in_stream = true, .input_delay_ms = 20, .left_out = DeviceWait::kReady});
  }
  EXPECT_GT(wrong, 0);
}

/// In place: what is sent last is read from memory that the caller has back then. Pauses are long
/// beside what it takes a thread to be woken.
int wrong_without(DeviceWait wait, const char* algorithm) {
  return wrong_worlds(transport::TransportKind::kInproc, 4, algorithm, 500,
                      {.in_place = true, .longest_pause_us = 1'000, .left_out = wait});
}

TEST(DeviceRunner, WithoutTheWaitForMessages_IsWrong) {
  EXPECT_GT(wrong_without(DeviceWait::kMessage, "ring"), 0);
}

TEST(DeviceRunner, WithoutTheWaitForGoodbyes_IsWrong) {
  EXPECT_GT(wrong_without(DeviceWait::kGoodbye, "ring"), 0);
}

TEST(DeviceRunner, WithoutTheWaitForOtherLanes_IsWrong) {
  EXPECT_GT(wrong_without(DeviceWait::kLanes, "bidirectional_ring"), 0);
}

/// Each rank on devices of its own, of which rank 1's fail as `faults` says.
std::vector<Status> statuses_with(const char* faults) {
  auto ranks = connected<DeviceRank>(transport::TransportKind::kInproc, 3);
  std::vector<std::unique_ptr<device::DeviceDriver>> drivers;
  std::vector<Status> statuses(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    device::EmulatedOptions options{.memory_bytes = std::size_t{1} << 20};
    if (i == 1) options.faults = device::parse_faults(faults).value();
    drivers.push_back(device::make_emulated_driver(options));
  }
  each<DeviceRank>(ranks, [&](DeviceRank& rank, std::size_t i) {
    rank.use(*drivers[i]);
    statuses[i] = rank.plan("ring", kCount, kSegmentBytes);
    const auto memory = rank.allocate(kCount * sizeof(float)).value();
    if (statuses[i].ok()) statuses[i] = rank.run(memory.get(), memory.get());
    if (!statuses[i].ok()) rank.abort(statuses[i]);
  });
  for (DeviceRank& rank : ranks) rank.use(*drivers[0]);
  return statuses;
}

TEST(DeviceRunner, KernelThatFails_IsReportedByAllRanksAndHangsNobody) {
  for (const char* fault : {"kernel:1", "kernel:3", "copy:1", "copy:2"}) {
    const std::vector<Status> statuses = statuses_with(fault);
    for (const Status& status : statuses) {
      EXPECT_EQ(status.code(), ErrorCode::kDevice) << fault;
      EXPECT_EQ(status.culprit(), 1) << fault << ": " << status.to_string();
      EXPECT_THAT(status.message(), testing::HasSubstr("emulated:1"));
      EXPECT_THAT(status.message(), testing::HasSubstr("as RONDO_EMULATED_FAULTS asked for"));
    }
  }
}

// As a device fails whose peer's memory is gone: drivers don't say whose it was, and the peer's
// loss is known later.
TEST(DeviceRunner, DeviceThatFailsBeforeItsPeerIsKnownToBeLost_BlamesThePeer) {
  auto ranks = connected<DeviceRank>(transport::TransportKind::kInproc, 2);
  std::vector<std::unique_ptr<device::DeviceDriver>> drivers;
  for (const char* faults : {"kernel:1", ""}) {
    device::EmulatedOptions options{.memory_bytes = std::size_t{1} << 20};
    options.faults = device::parse_faults(faults).value();
    drivers.push_back(device::make_emulated_driver(options));
  }
  each<DeviceRank>(ranks, [&](DeviceRank& rank, std::size_t i) {
    rank.use(*drivers[i]);
    EXPECT_TRUE(rank.plan("ring", kCount, kSegmentBytes).ok());
    const auto memory = rank.allocate(kCount * sizeof(float)).value();
    if (i == 1) return rank.run_until_gone(memory.get(), std::chrono::milliseconds(200));
    const Status status = rank.run(memory.get(), memory.get());
    EXPECT_EQ(status.code(), ErrorCode::kPeerLost) << status.to_string();
    EXPECT_EQ(status.culprit(), 1) << status.to_string();
    rank.abort(status);
  });
  for (DeviceRank& rank : ranks) rank.use(*drivers[0]);
}

TEST(DeviceRunner, DeviceWithoutStreamsOrEvents_IsSaidBeforeTheCall) {
  for (const char* fault : {"stream:1", "event:1", "event:4"}) {
    const std::vector<Status> statuses = statuses_with(fault);
    EXPECT_EQ(statuses[1].code(), ErrorCode::kDevice) << fault;
    EXPECT_EQ(statuses[0].culprit(), kNoCulprit) << "what rank 1 said";
    EXPECT_THAT(statuses[0].message(), testing::HasSubstr("rank 1 gave up"));
  }
}

}  // namespace
}  // namespace rondo::execute
