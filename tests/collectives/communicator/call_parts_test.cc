// Where the time of collectives goes: no moment of a call counts twice, and a kernel that runs as
// soon as a peer's data are there is no wait for that peer.

#include <gtest/gtest.h>

#include <algorithm>
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
constexpr std::chrono::microseconds kLate{500};
/// Times in us are rounded.
constexpr double kRoundingUs = 0.01;

void add(void* left, const void* right, std::size_t count, DataType /*type*/, void* context) {
  auto* sum = static_cast<float*>(left);
  const auto* next = static_cast<const float*>(right);
  for (std::size_t i = 0; i < count; ++i) sum[i] += next[i];
  if (*static_cast<const bool*>(context)) std::this_thread::sleep_for(kKernel);
}

using Setting = std::tuple<std::string, std::size_t>;

class CallParts : public ::testing::TestWithParam<Setting> {
 protected:
  /// Of each call of each rank, of which rank 0's function takes its time.
  std::vector<TracedCall> told(int ranks) const {
    const auto& [transport, count] = GetParam();
    std::vector<TracedCall> told(static_cast<std::size_t>(ranks) * kCalls);
    spawn({.size = ranks, .transport = transport}, [&, count = count](Communicator& rank) {
      bool takes_long = rank.rank() == 0;
      std::vector<float> data(count, 0.5F);
      auto* next = &told[static_cast<std::size_t>(rank.rank()) * kCalls];
      rank.set_trace([&next](const TracedCall& call) {
        if (call.collective == "all_reduce") *next++ = call;
      });
      const Reduction slowly = Reduction::custom({.function = add, .context = &takes_long});
      for (std::size_t i = 0; i < kCalls; ++i) {
        // So that rank 0 has to wait for the others' data.
        rank.barrier();
        if (!takes_long) std::this_thread::sleep_for(kLate);
        rank.all_reduce(ConstBuffer(data.data(), count), Buffer(data.data(), count), slowly);
      }
      rank.set_trace({});
    });
    return told;
  }

  static constexpr std::size_t kCalls = 5;
};

TEST_P(CallParts, NoMomentCountsTwice) {
  for (const int ranks : {2, 3}) {
    for (const TracedCall& call : told(ranks)) {
      EXPECT_GT(call.took_us, 0);
      EXPECT_LE(call.wait_us + call.reduce_us, call.took_us + kRoundingUs)
          << call.algorithm << " of " << call.bytes << " bytes waited " << call.wait_us
          << " us, reduced for " << call.reduce_us;
    }
  }
}

TEST_P(CallParts, AKernelIsNoWait) {
  const std::vector<TracedCall> calls = told(2);
  double least_wait_us = 1e9;
  double most_wait_us = 0;
  for (std::size_t i = 0; i < kCalls; ++i) {
    EXPECT_GE(calls[i].reduce_us, kKernelUs) << calls[i].algorithm;
    least_wait_us = std::min(least_wait_us, calls[i].wait_us);
    most_wait_us = std::max(most_wait_us, calls[i].wait_us);
  }
  // Over tcp all of it may be the coming of a message, in parts.
  if (std::get<0>(GetParam()) != "tcp") {
    EXPECT_GT(most_wait_us, 0);
  }
  EXPECT_LT(least_wait_us, kKernelUs) << "the other rank is half a millisecond late, no more";
}

INSTANTIATE_TEST_SUITE_P(Transports, CallParts,
                         ::testing::Combine(::testing::Values("inproc", "shm", "tcp"),
                                            ::testing::Values(std::size_t{3}, std::size_t{1'500},
                                                              std::size_t{16'384},
                                                              std::size_t{500'000})));

}  // namespace
}  // namespace rondo::testing
