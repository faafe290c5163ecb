// How late a rank that sleeps notices that its device is done: kernels here take a given time
// (RONDO_EMULATED_KERNEL_US), and hardly anything else takes any.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "rondo/device.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

/// Who isn't woken looks again after up to as long as it has waited: most of a kernel's time.
constexpr double kMostOfKernel = 0.25;

double kernel_ms() { return std::atof(std::getenv("RONDO_EMULATED_KERNEL_US")) / 1e3; }

/// Of the call's time what isn't whole kernels: the median of some calls, since a busy machine
/// makes some of them late.
double lateness_ms(const World& world, const RankFunction& call) {
  std::vector<double> late;
  spawn(world, [&](Communicator& rank) {
    call(rank);
    for (int turn = 0; turn < 9; ++turn) {
      const auto start = std::chrono::steady_clock::now();
      call(rank);
      const double took = Milliseconds(std::chrono::steady_clock::now() - start).count();
      EXPECT_GE(took, kernel_ms());
      if (rank.rank() == 0) late.push_back(std::fmod(took, kernel_ms()));
    }
  });
  std::ranges::nth_element(late, late.begin() + 4);
  return late[4];
}

class DeviceEnd : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto kind = find_device_kind(GetParam());
    if (!kind || device_count(*kind) == 0) GTEST_SKIP() << "none of this kind";
    world_ = {.size = 2, .algorithm = "direct", .device = {*kind, 0}, .devices = 2};
  }
  World world_;
};

TEST_P(DeviceEnd, OfABlockingCall_IsNoticedAtOnce) {
  const double late_ms = lateness_ms(world_, [](Communicator& rank) {
    const DeviceMemory memory(rank.device(), 4'000);
    rank.all_reduce({memory.data(), 1'000, DataType::kF32, rank.device()});
  });
  RecordProperty("late_us", static_cast<int>(late_ms * 1e3));
  EXPECT_LT(late_ms, kMostOfKernel * kernel_ms());
}

TEST_P(DeviceEnd, OfACallThatTheThreadMovesOn_IsNoticedAtOnce) {
  const double late_ms = lateness_ms(world_, [](Communicator& rank) {
    const DeviceMemory memory(rank.device(), 4'000);
    Stream stream(rank.device());
    rank.start(Call::all_reduce({memory.data(), 1'000, DataType::kF32, rank.device()}).on(stream));
    stream.synchronize();
  });
  RecordProperty("late_us", static_cast<int>(late_ms * 1e3));
  EXPECT_LT(late_ms, kMostOfKernel * kernel_ms());
}

INSTANTIATE_TEST_SUITE_P(Kinds, DeviceEnd, ::testing::Values("emulated", "cuda"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace rondo::testing
