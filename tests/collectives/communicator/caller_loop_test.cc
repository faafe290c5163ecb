// A program's loop that is all that moves calls on: asleep while a peer is late, awake when it
// comes, or when it has been too long, and never at work for nothing.

#include <gtest/gtest.h>
#include <sys/epoll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/unique_fd.h"
#include "tests/collectives/communicator/polling.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// While its peer comes not at all it looks a few times at first and then ten times a second.
constexpr int kFewWakes = 40;
/// So long into a wait the next look that nothing asks for is far away.
constexpr milliseconds kLate{300};
constexpr milliseconds kSoon{60};

Call sum_of(std::vector<float>& data) {
  return Call::all_reduce({data.data(), data.size(), DataType::kF32});
}

class CallerLoop : public ::testing::TestWithParam<std::string> {
 protected:
  World world(int size) const {
    return {.size = size, .transport = GetParam(), .progress = "caller"};
  }
};

/// A peer that comes when it is told, and says when that was.
struct LatePeer {
  std::atomic<bool> may_come = false;
  std::atomic<steady_clock::time_point> came;
};

/// How late it is woken by its peer.
steady_clock::duration wait_for(LatePeer& peer, Communicator& rank, std::vector<float>& data) {
  const int descriptor = rank.descriptor();
  const auto began = steady_clock::now();
  const auto computed = thread_time();
  Work work = rank.start(sum_of(data));
  int woken = 0;
  auto looked = began;
  for (; steady_clock::now() - began < kLate; ++woken) {
    is_readable(descriptor, 20);
    looked = steady_clock::now();
    EXPECT_EQ(rank.progress(), 0U);
  }
  const bool for_nothing = is_readable(descriptor, 20);
  EXPECT_FALSE(work.test());
  const bool in_vain = is_readable(descriptor, 20);
  // The next look is a tenth of a second after the one before, and may be due where this thread
  // has been kept from running.
  if (steady_clock::now() - looked < milliseconds(90)) {
    EXPECT_FALSE(for_nothing);
    EXPECT_FALSE(in_vain) << "what has been looked at";
  }
  EXPECT_EQ(rank.progress(), 0U);
  peer.may_come = true;
  woken += poll_until_ended(rank, descriptor, 1);
  const auto lateness = steady_clock::now() - peer.came.load();
  EXPECT_LT(woken, kFewWakes);
  EXPECT_LT(thread_time() - computed, milliseconds(100));
  return lateness;
}

TEST_P(CallerLoop, SleepsUntilALatePeerComes) {
  // Each size three times: machines stand still for a tenth of a second now and then.
  LatePeer peers[6];
  spawn(world(2), [&peers](Communicator& rank) {
    std::map<std::size_t, steady_clock::duration> least;
    for (LatePeer& peer : peers) {
      std::vector<float> data((&peer - peers) % 2 == 0 ? 1 : 20'000, 1.5F);
      if (rank.rank() == 0) {
        const auto lateness = wait_for(peer, rank, data);
        auto& of_size = least.try_emplace(data.size(), lateness).first->second;
        of_size = std::min(of_size, lateness);
      } else {
        while (!peer.may_come) std::this_thread::sleep_for(milliseconds(1));
        peer.came = steady_clock::now();
        rank.start(sum_of(data)).wait();
      }
      EXPECT_EQ(data.back(), 3.0F);
      rank.barrier();
    }
    for (const auto& [size, lateness] : least)
      EXPECT_LT(lateness, kSoon) << "not woken by its peer, " << size << " elements";
  });
}

TEST_P(CallerLoop, EndsHundredsOfCalls) {
  spawn(world(3), [](Communicator& rank) {
    const int descriptor = rank.descriptor();
    int woken = 0;
    for (int call = 0; call < 400; ++call) {
      std::vector<float> data(call % 7 == 6 ? 50'000 : 1 + static_cast<std::size_t>(call));
      data.back() = static_cast<float>(rank.rank() + call);
      if (call % 40 == 13 * rank.rank()) std::this_thread::sleep_for(milliseconds(5));
      Work work = rank.start(sum_of(data));
      woken += poll_until_ended(rank, descriptor, 1);
      ASSERT_TRUE(work.test());
      ASSERT_EQ(data.back(), static_cast<float>(3 * call + 3));
    }
    EXPECT_LT(woken, 400 * kFewWakes);
    EXPECT_EQ(rank.progress(), 0U);
    EXPECT_FALSE(is_readable(descriptor, 0));
    rank.barrier();
  });
}

TEST_P(CallerLoop, IsWokenByADeadline) {
  World impatient = world(2);
  impatient.timeout_ms = 400;
  std::vector<Communicator> ranks = make_world(impatient);
  const int descriptor = ranks[0].descriptor();
  std::vector<float> data(1000);
  const auto began = steady_clock::now();
  Work work = ranks[0].start(sum_of(data));
  EXPECT_LT(poll_until_ended(ranks[0], descriptor, 1), kFewWakes);
  EXPECT_GE(steady_clock::now() - began, milliseconds(300));
  try {
    work.wait();
    ADD_FAILURE() << "its peer never came";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kTimeout) << error.what();
  }
}

/// More than goes out unasked, and only then the one that is asked for.
TEST_P(CallerLoop, IsWokenByMessagesThatNobodyHasAskedFor) {
  constexpr int kEarly = 20;
  spawn(world(2), [](Communicator& rank) {
    std::vector<float> early(15'000, 1.0F), last(10, 2.0F);
    const Buffer first(early.data(), early.size()), second(last.data(), last.size());
    const int descriptor = rank.descriptor();
    if (rank.rank() == 1) {
      std::this_thread::sleep_for(milliseconds(50));
      for (int tag = 1; tag <= kEarly; ++tag) rank.send(first, 0, tag);
      rank.send(second, 0, 0);
      return;
    }
    Work work = rank.start(Call::receive(second, 1, 0));
    EXPECT_LT(poll_until_ended(rank, descriptor, 1), 10 * kFewWakes);
    work.wait();
    for (int tag = 1; tag <= kEarly; ++tag) rank.receive(first, 1, tag);
    rank.progress();
    EXPECT_FALSE(is_readable(descriptor, 0));
  });
}

TEST_P(CallerLoop, GoesOnWhereAnotherThreadStops) {
  spawn(world(2), [](Communicator& rank) {
    const int descriptor = rank.descriptor();
    for (int round = 0; round < 200; ++round) {
      std::vector<float> first(100, 1.0F), second(3000, 2.0F);
      Work awaited = rank.start(sum_of(first));
      Work other = rank.start(sum_of(second));
      std::thread waiter([&awaited] { awaited.wait(); });
      poll_until_ended(rank, descriptor, 2);
      waiter.join();
      ASSERT_TRUE(other.test());
      ASSERT_EQ(second.back(), 4.0F);
    }
    rank.barrier();
  });
}

TEST_P(CallerLoop, HearsNothingOfPeersThatItWaitsForNoMore) {
  std::vector<Communicator> ranks = make_world(world(2));
  const int descriptor = ranks[0].descriptor();
  std::vector<float> data(10), theirs(10);
  Work work = ranks[0].start(sum_of(data));
  while (is_readable(descriptor, 0)) ranks[0].progress();
  std::thread peer([&] { ranks[1].start(sum_of(theirs)).wait(); });
  poll_until_ended(ranks[0], descriptor, 1);
  peer.join();
  ranks.pop_back();
  EXPECT_FALSE(is_readable(descriptor, 50));
}

/// Kernels let few of them lie in each other.
TEST_P(CallerLoop, LiesInAProgramsOwnEpollOfEpolls) {
  spawn(world(2), [](Communicator& rank) {
    UniqueFd outer(::epoll_create1(EPOLL_CLOEXEC)), inner(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{.events = EPOLLIN, .data = {}};
    ASSERT_EQ(::epoll_ctl(inner.get(), EPOLL_CTL_ADD, rank.descriptor(), &event), 0);
    ASSERT_EQ(::epoll_ctl(outer.get(), EPOLL_CTL_ADD, inner.get(), &event), 0);
    std::vector<float> data(2000, 1.0F);
    if (rank.rank() == 1) std::this_thread::sleep_for(milliseconds(20));
    Work work = rank.start(sum_of(data));
    EXPECT_LT(poll_until_ended(rank, outer.get(), 1), kFewWakes);
    work.wait();
    rank.barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Transports, CallerLoop, ::testing::Values("inproc", "shm", "tcp"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace rondo::testing
