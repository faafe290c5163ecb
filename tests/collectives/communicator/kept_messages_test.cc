// Messages of send that nobody receives yet: those that are kept are sent, the rest waits for its
// receiver, and neither stands in anybody else's way. How many exactly: conversation_test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <tuple>
#include <vector>

#include "tests/collectives/communicator/flood.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

/// As rondo/communicator.h says.
constexpr std::size_t kMostKept = 1024;
constexpr std::size_t kMostKeptBytes = std::size_t{4} << 20;
constexpr std::size_t kLongestKeptBytes = std::size_t{64} << 10;

class KeptMessages : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  World world(int size) const {
    const auto& [transport, progress] = GetParam();
    return {.size = size, .transport = transport, .timeout_ms = 20'000, .progress = progress};
  }
  /// So many of `count` elements are kept.
  void expect_bound(std::size_t kept, std::size_t sent, std::size_t count) {
    std::atomic<bool> has_looked = false;
    spawn(world(2), [&](Communicator& rank) {
      if (rank.rank() == 0) {
        Flood flood(rank, 1, sent, count);
        flood.expect_held_back(kept);
        has_looked = true;
        flood.wait();
        send_last(rank, 1);
      } else {
        Onlooker onlooker(rank, 0);
        onlooker.look_on(has_looked);
        expect_all(rank, 0, sent, count);
        EXPECT_EQ(onlooker.last(), 0.75);
      }
    });
  }
};

TEST_P(KeptMessages, AsManyAsMayBe_AreSent_AndTheRestWaits) {
  expect_bound(kMostKept, kMostKept + 300, 20);
}

TEST_P(KeptMessages, OfAsManyBytesAsMayBe_AreSent_AndTheRestWaits) {
  const std::size_t kept = kMostKeptBytes / kLongestKeptBytes;
  expect_bound(kept, kept + 60, kLongestKeptBytes / sizeof(double));
}

TEST_P(KeptMessages, LongerThanAreKept_WaitForTheirReceiver) {
  const std::size_t count = kLongestKeptBytes / sizeof(double) + 1;
  expect_bound(0, 1, count);
}

// Behind messages that are held back, on the same connection, is all that isn't a message.
TEST_P(KeptMessages, HeldBack_DontHoldBackCollectives_NorOtherPeersMessages) {
  std::atomic<bool> is_full = false;
  spawn(world(3), [&](Communicator& rank) {
    const auto all_reduce = [&rank] {
      std::vector<double> data(50'000, rank.rank() + 0.5);
      rank.all_reduce({data.data(), data.size()});
      EXPECT_THAT(data, ::testing::Each(4.5));
    };
    std::vector<double> own = content(7, 3000);
    if (rank.rank() == 0) {
      Flood flood(rank, 2, 200, 8192);
      flood.expect_held_back(kMostKeptBytes / kLongestKeptBytes);
      is_full = true;
      all_reduce();
      flood.wait();
      send_last(rank, 2);
    } else if (rank.rank() == 1) {
      rank.send({own.data(), own.size()}, 2, kTag);
      all_reduce();
    } else {
      Onlooker onlooker(rank, 0);
      onlooker.look_on(is_full);
      std::vector<double> received(own.size());
      rank.receive({received.data(), received.size()}, 1, kTag);
      EXPECT_TRUE(received == own);
      all_reduce();
      expect_all(rank, 0, 200, 8192);
      EXPECT_EQ(onlooker.last(), 0.75);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, KeptMessages,
                         ::testing::Combine(::testing::Values("inproc", "shm", "tcp"),
                                            ::testing::Values("thread", "caller")),
                         [](const auto& parameters) {
                           return std::get<0>(parameters.param) + "_" +
                                  std::get<1>(parameters.param);
                         });

}  // namespace
}  // namespace rondo::testing
