// Several threads, or continuations of several communicators, want to move the same calls on, or to
// end them: who has the baton gives it to whoever can't wait, and nobody waits for a baton while it
// holds one that somebody else may want.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/ways.h"

namespace rondo::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// More than can be outstanding (CallQueue): who starts the last waits for the first to end.
constexpr int kTooMany = 5000;

class Baton : public InAWay {};

/// Rank 1's thread makes the barriers that rank 0 has started too many of when rank 0's other
/// thread has its message, for which that waits a little at a time.
TEST_P(Baton, AWaitForALittle_IsOneAlsoBesideAThreadThatWaitsForRoom) {
  std::atomic<bool> is_full = false;
  std::atomic<int> looks = 0;
  std::atomic<bool> has_come = false;
  spawn(world(2), [&](Communicator& rank) {
    double message = rank.rank() + 0.25;
    if (rank.rank() == 1) {
      wait_until([&] { return is_full && looks >= 3; });
      rank.send({&message, 1}, 0, 42);
      wait_until([&] { return has_come.load(); });
      for (int call = 0; call < kTooMany; ++call) rank.barrier();
      return;
    }
    Work received = rank.start(Call::receive({&message, 1}, 1, 42));
    std::thread waiter([&] {
      while (!received.wait_for(milliseconds(50)))
        if (is_full) ++looks;
      has_come = true;
    });
    std::vector<Work> barriers;
    for (int call = 0; call < kTooMany; ++call) {
      if (call == kTooMany / 5 * 4) is_full = true;
      barriers.push_back(rank.start(Call::barrier()));
    }
    waiter.join();
    wait_all(barriers);
    EXPECT_EQ(message, 1.25);
  });
}

/// The other thread may be anywhere in its wait, from before the first look to the last.
TEST_P(Baton, OfACommunicatorThatIsDestroyed_IsNobodysAfterwards) {
  for (int round = 0; round < 60; ++round) {
    auto ranks = make_world(world(2));
    double nothing = 0;
    Work stuck = ranks[0].start(Call::receive({&nothing, 1}, 1, 42));
    std::atomic<bool> waits = false;
    std::string error;
    std::thread waiter([&] {
      waits = true;
      error = end_of(stuck);
    });
    while (!waits) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(round * 20));
    ranks.erase(ranks.begin());
    waiter.join();
    ASSERT_THAT(error, HasSubstr("destroyed its communicator"));
  }
}

/// The thread that has ended the last call is still on its way out of it.
TEST_P(Baton, OfACommunicatorWhoseCallsHaveEnded_IsNobodysAfterwards) {
  for (int round = 0; round < 60; ++round) {
    auto ranks = make_world(world(2));
    Work first = ranks[0].start(Call::barrier());
    std::atomic<bool> has_ended = false;
    first.then([&](const Error*) { has_ended = true; });
    std::thread waiter([&] { EXPECT_EQ(end_of(first), ""); });
    ranks[1].barrier();
    while (!has_ended) std::this_thread::yield();
    ranks.erase(ranks.begin());
    waiter.join();
  }
}

/// Two communicators of this rank, and a receive on each that nobody sends for.
struct Pair {
  std::vector<Communicator> first;
  std::vector<Communicator> second;
  double nothing[2] = {};
  Work of_first;
  Work of_second;

  explicit Pair(const World& world) : first(make_world(world)), second(make_world(world)) {
    of_first = first[0].start(Call::receive({&nothing[0], 1}, 1, 42));
    of_second = second[0].start(Call::receive({&nothing[1], 1}, 1, 42));
  }
};

TEST_P(Baton, ContinuationsThatCancelEachOthersCalls_End) {
  Pair pair(world(2));
  pair.of_first.then([&](const Error*) { pair.of_second.cancel(); });
  pair.of_second.then([&](const Error*) { pair.of_first.cancel(); });
  pair.first[0].abort(Error(ErrorCode::kInternal, "enough of it"));
  EXPECT_THAT(end_of(pair.of_first), HasSubstr("enough of it"));
  EXPECT_THAT(end_of(pair.of_second), HasSubstr("cancelled a call that it had started"));
}

/// Each thread is in a continuation when the other one wants its baton.
TEST_P(Baton, ContinuationsOfTwoThreadsThatCancelEachOthersCalls_End) {
  if (std::get<1>(GetParam()) != "thread") GTEST_SKIP() << "one thread: the test above";
  Pair pair(world(2));
  double more[2] = {};
  Work others[2] = {pair.first[0].start(Call::receive({&more[0], 1}, 1, 1)),
                    pair.second[0].start(Call::receive({&more[1], 1}, 1, 1))};
  std::atomic<int> inside = 0;
  const auto meet = [&inside] {
    ++inside;
    wait_until([&] { return inside == 2; });
  };
  others[0].then([&](const Error*) {
    meet();
    pair.of_second.cancel();
  });
  others[1].then([&](const Error*) {
    meet();
    pair.of_first.cancel();
  });
  pair.first[1].send({&more[0], 1}, 0, 1);
  pair.second[1].send({&more[1], 1}, 0, 1);
  EXPECT_THAT(end_of(pair.of_first), HasSubstr("cancelled a call that it had started"));
  EXPECT_THAT(end_of(pair.of_second), HasSubstr("cancelled a call that it had started"));
}

/// A thread that waits for both communicators' calls sleeps with both batons when a third one's
/// continuation cancels a call: what that ends runs a continuation that waits for another call.
TEST_P(Baton, ACancelDuringAWaitForSeveral_RunsContinuationsThatWaitForAnother) {
  Pair pair(world(2));
  double more = 0;
  Work cancelled = pair.first[0].start(Call::barrier());
  Work awaited = pair.second[0].start(Call::receive({&more, 1}, 1, 1));
  auto third = make_world(world(2));
  Work barrier = third[0].start(Call::barrier());
  std::atomic<bool> continues = false;
  pair.of_first.then([&](const Error*) {
    continues = true;
    awaited.wait();
  });
  barrier.then([&](const Error*) { cancelled.cancel(); });
  std::vector<Work> both;
  both.push_back(std::move(pair.of_first));
  both.push_back(std::move(pair.of_second));
  std::string error;
  std::thread waiter([&] {
    try {
      wait_all(both);
    } catch (const Error& thrown) {
      error = thrown.what();
    }
  });
  std::this_thread::sleep_for(milliseconds(50));  // asleep by then, mostly
  // This thread runs the continuation itself where the waiter is just looking.
  std::thread peer([&] {
    third[1].barrier();
    wait_until([&] { return continues.load(); });
    double message = 2.5;
    pair.second[1].send({&message, 1}, 0, 1);
    pair.second[1].send({&message, 1}, 0, 42);
  });
  EXPECT_EQ(end_of(barrier), "");
  peer.join();
  waiter.join();
  EXPECT_THAT(error, HasSubstr("cancelled a call that it had started"));
  EXPECT_EQ(more, 2.5);
  EXPECT_EQ(pair.nothing[1], 2.5);
}

TEST_P(Baton, AContinuation_MayCancelAnotherCallOfItsOwnCommunicator) {
  auto ranks = make_world(world(2));
  double data[2] = {0.5, 0.75};
  Work stuck = ranks[0].start(Call::receive({&data[0], 1}, 1, 42));
  Work barrier = ranks[0].start(Call::barrier());
  barrier.then([&](const Error*) { stuck.cancel(); });
  std::thread peer([&] {
    try {
      ranks[1].barrier();
    } catch (const Error& error) {  // that rank 0 gave up may be there before it has left
      EXPECT_THAT(error.what(), HasSubstr("cancelled a call"));
    }
  });
  EXPECT_EQ(end_of(barrier), "");
  EXPECT_THAT(end_of(stuck), HasSubstr("cancelled a call that it had started"));
  peer.join();
}

INSTANTIATE_TEST_SUITE_P(Worlds, Baton, every_way(), name_of_way);

}  // namespace
}  // namespace rondo::testing
