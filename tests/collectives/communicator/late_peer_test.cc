// Calls behind one that a peer came late to, so that all others slept: results are right, and calls
// are made as before. How they wait again: waiter_test.

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/ways.h"

namespace rondo::testing {
namespace {

/// In a line, in slots, in several segments.
constexpr std::size_t kCounts[] = {1, 1009, 200'003};

/// Sums that are exact, of a call by function or as one that was started.
void all_reduce(Communicator& rank, std::size_t count, int number, bool started) {
  const auto value = [number](int of, std::size_t i) {
    return 0.25F * static_cast<float>(of + number) + static_cast<float>(i % 100);
  };
  std::vector<float> data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = value(rank.rank(), i);
  const Buffer buffer(data.data(), count);
  started ? rank.start(Call::all_reduce(buffer)).wait() : rank.all_reduce(buffer);
  for (std::size_t i = 0; i < count; ++i) {
    float sum = 0;
    for (int peer = 0; peer < rank.size(); ++peer) sum += value(peer, i);
    ASSERT_EQ(data[i], sum) << "element " << i << " of call " << number;
  }
}

class LatePeer : public ::testing::TestWithParam<Way> {};

TEST_P(LatePeer, CallsBehindIt_AreRightAndMadeAsBefore) {
  const auto& [transport, progress] = GetParam();
  spawn({.size = 3, .transport = transport, .progress = progress}, [](Communicator& rank) {
    std::map<std::size_t, std::string> ways;
    int number = 0;
    for (const std::size_t count : kCounts) {
      all_reduce(rank, count, ++number, false);
      ways[count] = rank.last_call().algorithm;
    }
    for (int round = 0; round < 9; ++round) {
      // Each rank is late to each size.
      if (rank.rank() == round % 3) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      for (std::size_t call = 0; call < 12; ++call) {
        const std::size_t count = kCounts[(static_cast<std::size_t>(round) / 3 + call) % 3];
        all_reduce(rank, count, ++number, call % 4 == 3);
        EXPECT_EQ(rank.last_call().algorithm, ways[count]);
        EXPECT_EQ(rank.last_call().transport, std::get<0>(GetParam()));
      }
    }
  });
}

TEST(DeadlineOfOneCall, IsNotThatOfTheNextOnTheSameBuffer) {
  spawn({.size = 2, .transport = "shm", .timeout_ms = 30'000}, [](Communicator& rank) {
    std::vector<float> data(3, 0.5F + static_cast<float>(rank.rank()));
    const Buffer buffer(data.data(), data.size());
    // Nobody is late here, so that any deadline will do.
    rank.run(Call::all_reduce(buffer).within(9000));
    rank.run(Call::all_reduce(buffer).within(3000));
    if (rank.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(4500));
    rank.all_reduce(buffer);
    EXPECT_EQ(data[2], 8.0F);
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, LatePeer, every_way(), name_of_way);

}  // namespace
}  // namespace rondo::testing
