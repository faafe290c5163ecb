// Loops that are all that moves calls on, in a world of processes with several places each, to be
// started by a launcher: peers of a process and peers of others wake them.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "tests/collectives/communicator/polling.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr int kCalls = 300;
constexpr int kWakesPerCall = 40;

void poll_calls(Communicator& rank) {
  const int descriptor = rank.descriptor();
  int woken = 0;
  for (int call = 0; call < kCalls; ++call) {
    std::vector<float> data(call % 5 == 4 ? 40'000 : 10);
    data.back() = static_cast<float>(rank.rank() + call);
    if (call % 60 == 13 * rank.rank()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Work work = rank.start(Call::all_reduce({data.data(), data.size(), DataType::kF32}));
    woken += poll_until_ended(rank, descriptor, 1);
    work.wait();
    const int size = rank.size();
    const int sum = size * call + size * (size - 1) / 2;
    ASSERT_EQ(data.back(), static_cast<float>(sum));
  }
  EXPECT_LT(woken, kCalls * kWakesPerCall);
}

TEST(PollingRanks, EndHundredsOfCalls) {
  const std::vector<Device> places = {Device::host(), Device::host()};
  std::vector<Communicator> ranks = Communicator::create(places, CommunicatorOptions{});
  for (const std::string& error : run_ranks(ranks, poll_calls)) EXPECT_EQ(error, "");
  std::printf("polling done: rank %d of %d\n", ranks[0].rank(), ranks[0].size());
}

}  // namespace
}  // namespace rondo::testing
