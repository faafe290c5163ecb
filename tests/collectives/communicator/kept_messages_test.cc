// Messages of send that nobody receives yet: those that are kept are sent, the rest waits for its
// receiver, and neither stands in anybody else's way. How many exactly: conversation_test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/collectives/communicator/flood.h"
#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/ways.h"

namespace rondo::testing {
namespace {

/// As rondo/communicator.h says.
constexpr std::size_t kMostKept = 1024;
constexpr std::size_t kMostKeptBytes = std::size_t{4} << 20;
constexpr std::size_t kLongestKeptBytes = std::size_t{64} << 10;

class KeptMessages : public InAWay {
 protected:
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

constexpr std::size_t kMany = 700;  ///< more than go out unasked, and fewer than are kept
constexpr std::size_t kFew = 20;

void send_many(Communicator& rank, int to) {
  for (std::size_t i = 0; i < kMany; ++i) {
    const std::vector<double> data = content(i, kFew);
    rank.send({data.data(), data.size()}, to, kTag);
  }
}

void all_reduce(Communicator& rank) {
  std::vector<double> data(50'000, rank.rank() + 0.5);
  rank.all_reduce({data.data(), data.size()});
  EXPECT_THAT(data, ::testing::Each(8));
}

/// Its receiver waits for the sender in a collective, and has nothing to do with it otherwise (in a
/// ring of four they are no neighbours), or has met it before.
TEST_P(KeptMessages, ToARankInACollective_ThatWaitsForTheirSender_AreSent) {
  for (const char* algorithm : {"ring", "direct"}) {
    for (const bool have_met : {false, true}) {
      World in_turn = world(4);
      in_turn.algorithm = algorithm;
      spawn(in_turn, [&](Communicator& rank) {
        double met = 0.25;
        if (have_met && rank.rank() == 0) rank.send({&met, 1}, 2, kLastTag);
        if (have_met && rank.rank() == 2) rank.receive({&met, 1}, 0, kLastTag);
        if (rank.rank() == 0) send_many(rank, 2);
        all_reduce(rank);
        if (rank.rank() == 2) expect_all(rank, 0, kMany, kFew);
        all_reduce(rank);
      });
    }
  }
}

TEST_P(KeptMessages, ToARankInAReceive_ThatWaitsForTheirSender_AreSent) {
  spawn(world(3), [&](Communicator& rank) {
    double value = 0.75;
    if (rank.rank() == 0) {
      send_many(rank, 1);
      rank.send({&value, 1}, 2, kLastTag);
    } else if (rank.rank() == 2) {
      rank.receive({&value, 1}, 0, kLastTag);
      rank.send({&value, 1}, 1, kLastTag);
    } else {
      rank.receive({&value, 1}, 2, kLastTag);
      expect_all(rank, 0, kMany, kFew);
    }
  });
}

/// Each has sent more than goes out unasked before it receives any.
TEST_P(KeptMessages, OfAllToAll_BeforeAnybodyReceives_AreSent) {
  spawn(world(3), [&](Communicator& rank) {
    for (int peer = 0; peer < rank.size(); ++peer)
      if (peer != rank.rank()) send_many(rank, peer);
    for (int peer = 0; peer < rank.size(); ++peer)
      if (peer != rank.rank()) expect_all(rank, peer, kMany, kFew);
  });
}

/// The receive that stays open for more of its messages isn't what the call waits for.
TEST_P(KeptMessages, OfARankThatLeavesBehindItsPartOfACollective_DontEndThat) {
  spawn(world(3), [&](Communicator& rank) {
    double met = 0.25;
    if (rank.rank() == 2) rank.send({&met, 1}, 1, kTag);
    if (rank.rank() == 1) rank.receive({&met, 1}, 2, kTag);
    const std::vector<double> own(1000, rank.rank() + 0.5);
    std::vector<double> all(rank.rank() == 1 ? 3000 : 0);
    // house-allow(sleep): until the root has waited for it for long, and the other has left.
    if (rank.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    rank.gather({own.data(), own.size()}, {all.data(), all.size()}, 1);
    if (rank.rank() == 2) const Communicator leaving = std::move(rank);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::size_t of = i / 1000;
      ASSERT_EQ(all[i], static_cast<double>(of) + 0.5);
    }
  });
}

/// Whether the condition holds within ten seconds.
bool comes_true(const std::function<bool()>& condition) {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition() && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
  return condition();
}

/// Whoever gives up waits for peers of the process that are at its memory: a rank that has looked
/// for messages in a long call, and makes no other one, isn't.
TEST_P(KeptMessages, LookedForInALongCall_KeepNobodyFromGivingUpBehindIt) {
  World ring = world(4);
  ring.algorithm = "ring";
  std::atomic<bool> has_given_up = false;
  std::atomic<int> done = 0;
  spawn(ring, [&](Communicator& rank) {
    double met = 0.25;
    if (rank.rank() == 2) rank.send({&met, 1}, 0, kTag);
    if (rank.rank() == 0) rank.receive({&met, 1}, 2, kTag);
    // house-allow(sleep): until the others have waited for it for long.
    if (rank.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    all_reduce(rank);
    ++done;
    // Who is still in the call when a peer gives up is told so, and rightly.
    if (rank.rank() == 2) {
      EXPECT_TRUE(comes_true([&] { return done == rank.size(); }));
      rank.abort(Error(ErrorCode::kCancelled, "had enough"));
      has_given_up = true;
    }
    EXPECT_TRUE(comes_true([&] { return has_given_up.load(); }));
    if (rank.rank() != 2) {
      EXPECT_THROW(rank.barrier(), Error);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, KeptMessages, every_way(), name_of_way);

}  // namespace
}  // namespace rondo::testing
