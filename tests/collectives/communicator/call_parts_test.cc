// Where the time of collectives goes: no moment of a call counts twice, and a kernel that runs as
// soon as a peer's data are there is no wait for that peer.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "rondo/trace.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr std::chrono::milliseconds kKernel{4};
constexpr double kKernelUs = 4'000;
constexpr int kLongOnes = 5;  // kernels of a call
constexpr std::chrono::microseconds kLate{500};
constexpr int kRounds = 20;
/// Times in us are rounded.
constexpr double kRoundingUs = 0.01;

void add(void* left, const void* right, std::size_t count, DataType /*type*/, void* context) {
  auto* sum = static_cast<float*>(left);
  const auto* next = static_cast<const float*>(right);
  for (std::size_t i = 0; i < count; ++i) sum[i] += next[i];
  int& long_ones = *static_cast<int*>(context);
  if (long_ones > 0) {
    --long_ones;
    std::this_thread::sleep_for(kKernel);
  }
}

void expect_parts_fit(const TracedCall& call) {
  EXPECT_GT(call.took_us, 0);
  EXPECT_LE(call.wait_us + call.reduce_us, call.took_us + kRoundingUs)
      << call.algorithm << " of " << call.bytes << " bytes waited " << call.wait_us
      << " us, reduced for " << call.reduce_us;
}

using Setting = std::tuple<std::string, std::size_t>;

class CallParts : public ::testing::TestWithParam<Setting> {
 protected:
  /// Of each call of each rank, of which rank 0's function takes its time at first.
  std::vector<TracedCall> told(int ranks) {
    const auto& [transport, count] = GetParam();
    std::vector<TracedCall> told(static_cast<std::size_t>(ranks) * kCalls);
    std::atomic<std::size_t> entered = 0;  // by rank 0
    spawn({.size = ranks, .transport = transport}, [&, count = count](Communicator& rank) {
      const bool is_slow = rank.rank() == 0;
      int long_ones = 0;
      std::vector<float> data(count, 0.5F);
      auto* next = &told[static_cast<std::size_t>(rank.rank()) * kCalls];
      rank.set_trace([&next](const TracedCall& call) {
        if (call.collective == "all_reduce") *next++ = call;
      });
      const Reduction slowly = Reduction::custom({.function = add, .context = &long_ones});
      for (std::size_t i = 0; i < kCalls; ++i) {
        rank.barrier();
        if (is_slow) {
          long_ones = kLongOnes;
          entered = i + 1;
        } else {
          // Rank 0 has to wait for the others' data, on whatever core it comes late from the
          // barrier.
          wait_until([&] { return entered > i; });
          std::this_thread::sleep_for(kLate);
        }
        rank.all_reduce(ConstBuffer(data.data(), count), Buffer(data.data(), count), slowly);
        if (is_slow) long_kernels_[i] = kLongOnes - long_ones;
      }
      rank.set_trace({});
    });
    return told;
  }

  static constexpr std::size_t kCalls = 5;
  std::array<int, kCalls> long_kernels_{};  ///< of each call of rank 0
};

/// All of the kernels' time is told as theirs, and with it the wait has to fit into the call.
TEST_P(CallParts, AKernelIsNoWait) {
  // Over tcp all of the wait may be the coming of a message, in parts; elsewhere rank 0 waits, if
  // its thread isn't kept from running in every call.
  const bool always_waits = std::get<0>(GetParam()) != "tcp";
  double most_wait_us = 0;
  for (int round = 0; round == 0 || (round < kRounds && always_waits && most_wait_us == 0);
       ++round) {
    const std::vector<TracedCall> calls = told(2);
    for (const TracedCall& call : calls) expect_parts_fit(call);
    for (std::size_t i = 0; i < kCalls; ++i) {
      EXPECT_GE(calls[i].reduce_us, long_kernels_[i] * kKernelUs) << calls[i].algorithm;
      EXPECT_GE(long_kernels_[i], 1) << calls[i].algorithm;
      most_wait_us = std::max(most_wait_us, calls[i].wait_us);
    }
  }
  if (always_waits) {
    EXPECT_GT(most_wait_us, 0);
  }
}

TEST_P(CallParts, NoMomentCountsTwice) {
  for (const TracedCall& call : told(3)) expect_parts_fit(call);
}

INSTANTIATE_TEST_SUITE_P(Transports, CallParts,
                         ::testing::Combine(::testing::Values("inproc", "shm", "tcp"),
                                            ::testing::Values(std::size_t{3}, std::size_t{1'500},
                                                              std::size_t{16'384},
                                                              std::size_t{500'000})));

}  // namespace
}  // namespace rondo::testing
