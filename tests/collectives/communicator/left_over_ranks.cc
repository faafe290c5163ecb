// Worlds of processes on devices that fail, again and again, and at last a rank that is killed:
// when their communicators are gone each process has as much open as before, on its device too. To
// be started by a launcher, on the kind of device that RONDO_TEST_DEVICE names, and by the way that
// RONDO_DEVICE_PATH names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/open_things.h"
#include "tests/collectives/communicator/own_device.h"
#include "tests/collectives/communicator/watch_device.h"

namespace rondo::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kRounds = 8;
/// Of failures that ranks look for a cause of, for a second.
constexpr int kFewRounds = 2;
/// More than a rank makes before another's failure reaches it.
constexpr int kManyCalls = 5'000;
constexpr std::size_t kCount = 30'000;
/// Who fails a world.
constexpr int kCulprit = 1;

/// What a rank does once a call of its world has gone well.
using Step = std::function<void(Communicator&, const Buffer&, const WatchedDevice&)>;

struct Failure {
  const char* name;
  Step step;
  bool is_of_a_kernel = false;
};

void until_it_fails(Communicator& rank, const Buffer& buffer) {
  for (int i = 0; i < kManyCalls; ++i) rank.all_reduce(buffer, ReduceOp::kMax);
}

const std::vector<Failure>& failures() {
  static const std::vector<Failure> all = {
      {"a mismatch",
       [](Communicator& rank, const Buffer& buffer, const WatchedDevice& /*device*/) {
         const bool differs = rank.rank() == kCulprit;
         rank.all_reduce(
             Buffer(buffer.pointer, kCount - (differs ? 1 : 0), buffer.dtype, buffer.place));
         rank.barrier();
       }},
      {"a peer that left",
       [](Communicator& rank, const Buffer& buffer, const WatchedDevice& /*device*/) {
         if (rank.rank() != kCulprit) return until_it_fails(rank, buffer);
         const Communicator left(std::move(rank));
       }},
      {"a peer that gave up",
       [](Communicator& rank, const Buffer& buffer, const WatchedDevice& /*device*/) {
         if (rank.rank() == kCulprit)
           rank.abort(Error(ErrorCode::kDataLoss, "the file ends too soon"));
         until_it_fails(rank, buffer);
       }},
      {"a peer that never came",
       [](Communicator& rank, const Buffer& buffer, const WatchedDevice& /*device*/) {
         if (rank.rank() == kCulprit)
           return std::this_thread::sleep_for(std::chrono::milliseconds(200));
         rank.start(Call::all_reduce(buffer).within(50)).wait();
       }},
      {"a peer that left with calls outstanding",
       [](Communicator& rank, const Buffer& buffer, const WatchedDevice& /*device*/) {
         if (rank.rank() != kCulprit) return until_it_fails(rank, buffer);
         Communicator left(std::move(rank));
         std::vector<Work> dropped;
         for (int i = 0; i < 3; ++i)
           dropped.push_back(left.start(Call::all_reduce(buffer, ReduceOp::kMax)));
       }},
      {"a device that failed in the middle",
       [](Communicator& rank, const Buffer& buffer, const WatchedDevice& device) {
         if (rank.rank() == kCulprit) device.plan_faults("kernel:2");
         until_it_fails(rank, buffer);
       },
       true}};
  return all;
}

class LeftOverOnDevice : public ::testing::Test {
 protected:
  LeftOverOnDevice()
      : all_(Communicator::create({}, own_device())),
        device_(watch_device(all_.device().kind)),
        memory_(all_.device(), kCount, false) {
    memory_.write(0, std::vector<float>(kCount, 1));
  }

  /// A plug-in's kernels don't fail on purpose, and on the host there are none.
  bool suits(const Failure& failure) const {
    const DeviceKind kind = all_.device().kind;
    const char* const path = std::getenv("RONDO_DEVICE_PATH");
    return !failure.is_of_a_kernel ||
           ((kind == DeviceKind::kEmulated || kind == DeviceKind::kCuda) && path != nullptr &&
            std::string(path) != "host");
  }
  /// The error of this rank, in a world of its own.
  std::string fail_once(const Step& step) {
    std::optional<Communicator> world = all_.split(0, all_.rank());
    std::string text;
    try {
      world->all_reduce(memory_.buffer(0, kCount), ReduceOp::kMax);
      step(*world, memory_.buffer(0, kCount), device_);
    } catch (const Error& error) {
      text = error.what();
    }
    device_.plan_faults("");
    return text;
  }
  void fail_again_and_again(const Failure& failure) {
    const OpenThings before = OpenThings::now(&device_);
    const int rounds = failure.is_of_a_kernel ? kFewRounds : kRounds;
    for (int round = 0; round < rounds; ++round) {
      const std::string error = fail_once(failure.step);
      if (all_.rank() != kCulprit) {
        EXPECT_NE(error, "") << failure.name;
      }
    }
    expect_no_more_open_than(before, failure.name, &device_);
    all_.barrier();
  }

  Communicator all_;
  const WatchedDevice& device_;
  Memory<float> memory_;
};

/// In the middle of whatever it and its peers are at.
void be_killed_soon(Communicator& rank, const Buffer& buffer, const WatchedDevice& /*device*/) {
  std::jthread executioner;
  if (rank.rank() == rank.size() - 1) {
    executioner = std::jthread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      std::raise(SIGKILL);
    });
  }
  until_it_fails(rank, buffer);
}

TEST_F(LeftOverOnDevice, AfterWorldsThatFailed_IsNothing) {
  // The launcher ends the job's others some seconds after the one that is killed: they still count.
  std::signal(SIGTERM, SIG_IGN);
  // What is the process's for good comes with the first.
  for (const Failure& failure : failures())
    if (suits(failure)) fail_once(failure.step);
  for (const Failure& failure : failures())
    if (suits(failure)) fail_again_and_again(failure);
  const OpenThings before = OpenThings::now(&device_);
  EXPECT_THAT(fail_once(be_killed_soon), HasSubstr("rank 2"));
  expect_no_more_open_than(before, "a peer that was killed", &device_);
  if (!HasFailure()) std::printf("left over: nothing on rank %d of %d\n", all_.rank(), all_.size());
}

}  // namespace
}  // namespace rondo::testing
