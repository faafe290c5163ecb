// One thread that waits for calls of several communicators: asleep while their peers are late, and
// awake at once when one comes, goes, or when another thread wants to move the same calls on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/ways.h"

namespace rondo::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using namespace std::chrono_literals;

/// So long into a wait the next look that nothing asks for is 78 ms away: it looks after 228 and
/// 328.
constexpr milliseconds kLate{250};
constexpr milliseconds kSoon{60};

/// Calls on two communicators of the same ranks.
struct Sums {
  float values[2] = {1, 2};

  std::vector<Work> start(Communicator& rank, Communicator& same) {
    std::vector<Work> works;
    works.push_back(rank.start(Call::all_reduce({&values[0], 1})));
    works.push_back(same.start(Call::all_reduce({&values[1], 1})));
    return works;
  }
};

std::optional<Error> error_of_all(std::vector<Work>& works) {
  try {
    wait_all(works);
    return {};
  } catch (const Error& error) {
    return error;
  }
}

/// How late something was, at best: machines stand still for a tenth of a second now and then,
/// where nothing that wakes a sleeper makes it late every time.
template <typename Once>
steady_clock::duration least_of_three(const Once& once) {
  steady_clock::duration least = once();
  for (int again = 0; again < 2 && least >= kSoon; ++again) least = std::min(least, once());
  return least;
}

class WaitAll : public ::testing::TestWithParam<Way> {
 protected:
  World world(int timeout_ms = 30'000) const {
    const auto& [transport, progress] = GetParam();
    return {.size = 2, .transport = transport, .timeout_ms = timeout_ms, .progress = progress};
  }
};

TEST_P(WaitAll, IsWokenByAPeerThatIsLateOnOneOfThem) {
  std::atomic<steady_clock::time_point> came;
  int late_times = 0;
  spawn(world(), [&](Communicator& rank) {
    Communicator same = *rank.split(0);
    for (int round = 0; round < 4; ++round) {
      Sums sums;
      std::vector<Work> works;
      if (rank.rank() == 1) {
        Communicator& first = round % 2 == 0 ? rank : same;
        Communicator& last = round % 2 == 0 ? same : rank;
        float* const values = sums.values;
        works.push_back(first.start(Call::all_reduce({&values[round % 2], 1})));
        std::this_thread::sleep_for(kLate);
        came = steady_clock::now();
        works.push_back(last.start(Call::all_reduce({&values[1 - round % 2], 1})));
      } else {
        works = sums.start(rank, same);
      }
      wait_all(works);
      if (rank.rank() == 0 && steady_clock::now() - came.load() >= kSoon) ++late_times;
      EXPECT_THAT(sums.values, ::testing::ElementsAre(2, 4));
      rank.barrier();  // both wait for as long
    }
  });
  EXPECT_LE(late_times, 1);
}

steady_clock::duration lateness_where_another_thread_gives_up(const World& world) {
  auto ranks = make_world(world);
  steady_clock::duration lateness{};
  run_ranks(ranks, [&](Communicator& rank) {
    Communicator same = *rank.split(0);
    if (rank.rank() == 1) return std::this_thread::sleep_for(3 * kLate);
    Sums sums, more;
    std::vector<Work> works = sums.start(rank, same);
    std::vector<Work> others = more.start(rank, same);
    std::atomic<steady_clock::time_point> given_up;
    std::thread other([&] {
      std::this_thread::sleep_for(kLate);
      given_up = steady_clock::now();
      for (Work& work : others) work.cancel();
    });
    const auto error = error_of_all(works);
    lateness = steady_clock::now() - given_up.load();
    other.join();
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code(), ErrorCode::kCancelled) << error->what();
    EXPECT_EQ(error->culprit(), 0) << error->what();
  });
  return lateness;
}

TEST_P(WaitAll, EndsWhereAnotherThreadGivesTheCallsUp) {
  EXPECT_LT(least_of_three([&] { return lateness_where_another_thread_gives_up(world()); }), kSoon);
}

steady_clock::duration lateness_where_another_thread_waits(const World& world) {
  std::atomic<steady_clock::time_point> came;
  std::atomic<steady_clock::duration> lateness{};
  spawn(world, [&](Communicator& rank) {
    Communicator same = *rank.split(0);
    if (rank.rank() == 1) {
      std::this_thread::sleep_for(2 * kLate);
      came = steady_clock::now();
    }
    Sums sums, more;
    std::vector<Work> works = sums.start(rank, same);
    std::vector<Work> others = more.start(rank, same);
    std::thread other([&others] {
      std::this_thread::sleep_for(kLate);
      wait_all({&others[1], 1});
    });
    wait_all(works);
    const auto late = steady_clock::now() - came.load();
    if (rank.rank() == 0) lateness = late;
    other.join();
    others[0].wait();
    EXPECT_THAT(more.values, ::testing::ElementsAre(2, 4));
  });
  return lateness;
}

TEST_P(WaitAll, EndsWhereAnotherThreadWaitsForTheSame) {
  EXPECT_LT(least_of_three([&] { return lateness_where_another_thread_waits(world()); }), kSoon);
}

/// Of a look while this thread waits for calls whose peer is late.
steady_clock::duration time_of_a_look(const World& world) {
  std::atomic<bool> may_come = false;
  steady_clock::duration took{};
  spawn(world, [&](Communicator& rank) {
    Communicator same = *rank.split(0);
    while (rank.rank() == 1 && !may_come) std::this_thread::sleep_for(milliseconds(1));
    Sums sums;
    std::vector<Work> works = sums.start(rank, same);
    std::thread other([&] {
      if (rank.rank() == 1) return;
      std::this_thread::sleep_for(kLate);
      const auto began = steady_clock::now();
      EXPECT_NE(rank.metrics(), "");
      took = steady_clock::now() - began;
      for (int look = 0; look < 9; ++look) EXPECT_NE(rank.metrics(), "");
      EXPECT_LT(steady_clock::now() - began, 500ms);
      may_come = true;
    });
    wait_all(works);
    other.join();
  });
  return took;
}

TEST_P(WaitAll, LetsAnotherThreadLookMeanwhile) {
  EXPECT_LT(least_of_three([&] { return time_of_a_look(world()); }), kSoon);
}

// The one that waits has been asleep for long, and what it sleeps for doesn't come. Machines stand
// still for a tenth of a second now and then: one time in six may be late, where nothing that wakes
// the sleeper makes it every time.
TEST_P(WaitAll, BeginsWhatAnotherThreadStartsMeanwhile) {
  std::array<steady_clock::time_point, 6> started;
  int late_times = 0;
  spawn(world(), [&](Communicator& rank) {
    for (auto& start : started) {
      float late = 0, soon = 1;
      if (rank.rank() == 1) {
        rank.receive({&soon, 1}, 0);
        if (steady_clock::now() - start >= kSoon) ++late_times;
        rank.send({&soon, 1}, 0);
        continue;
      }
      std::vector<Work> works;
      works.push_back(rank.start(Call::receive({&late, 1}, 1)));
      std::thread waiting([&works] { wait_all(works); });
      std::this_thread::sleep_for(250ms);  // it looks after 228 and 328
      start = steady_clock::now();
      Work sent = rank.start(Call::send({&soon, 1}, 1));
      waiting.join();
      sent.wait();
    }
  });
  EXPECT_LE(late_times, 1) << "of " << started.size();
}

TEST_P(WaitAll, IsWokenByADeadline) {
  auto ranks = make_world(world(400));
  run_ranks(ranks, [](Communicator& rank) {
    Communicator same = *rank.split(0);
    if (rank.rank() == 1) return std::this_thread::sleep_for(milliseconds(900));
    Sums sums;
    const auto began = steady_clock::now();
    std::vector<Work> works = sums.start(rank, same);
    const auto error = error_of_all(works);
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code(), ErrorCode::kTimeout) << error->what();
    EXPECT_EQ(error->culprit(), 1) << error->what();
    const auto took = steady_clock::now() - began;
    EXPECT_GE(took, milliseconds(300));
    EXPECT_LT(took, milliseconds(800));
  });
}

steady_clock::duration lateness_where_a_peer_leaves(const World& world) {
  auto ranks = make_world(world);
  std::atomic<steady_clock::time_point> left;
  steady_clock::duration lateness{};
  run_ranks(ranks, [&](Communicator& rank) {
    std::optional<Communicator> same = rank.split(0);
    if (rank.rank() == 1) {
      std::this_thread::sleep_for(kLate);
      left = steady_clock::now();
      same.reset();
      const Communicator gone(std::move(rank));
      return;
    }
    Sums sums;
    std::vector<Work> works = sums.start(rank, *same);
    const auto error = error_of_all(works);
    lateness = steady_clock::now() - left.load();
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->code(), ErrorCode::kPeerLost) << error->what();
    EXPECT_EQ(error->culprit(), 1) << error->what();
  });
  return lateness;
}

TEST_P(WaitAll, IsWokenByAPeerThatLeaves) {
  EXPECT_LT(least_of_three([&] { return lateness_where_a_peer_leaves(world()); }), kSoon);
}

TEST_P(WaitAll, RunsContinuationsThatWaitForAnotherOfThem) {
  spawn(world(), [](Communicator& rank) {
    Communicator same = *rank.split(0);
    for (int round = 0; round < 20; ++round) {
      if (rank.rank() == round % 2) std::this_thread::sleep_for(milliseconds(round));
      Sums sums, more;
      std::vector<Work> works = sums.start(rank, same);
      std::vector<Work> others = more.start(rank, same);
      works[0].then([&others](const Error*) { others[1].wait(); });
      wait_all(works);
      EXPECT_EQ(more.values[1], 4);
      others[0].wait();
    }
  });
}

TEST_P(WaitAll, InAContinuationOfTheSameCommunicator_IsRefused) {
  std::atomic<bool> attached = false;
  spawn(world(), [&attached](Communicator& rank) {
    std::optional<Error> refused;
    if (rank.rank() == 1) wait_until([&] { return attached.load(); });
    Work first = rank.start(Call::barrier());
    std::vector<Work> second;
    second.push_back(rank.start(Call::barrier()));
    std::atomic<bool> ran = false;
    first.then([&](const Error*) {
      refused = error_of_all(second);
      ran = true;
    });
    if (rank.rank() == 0) attached = true;
    first.wait();
    second[0].wait();
    ASSERT_TRUE(ran);
    // Where the calls were done before there was a continuation there is nothing to refuse: of rank
    // 1, which begins once rank 0 has its own.
    if (rank.rank() == 1) return;
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->code(), ErrorCode::kInvalidArgument) << refused->what();
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, WaitAll, every_way(), name_of_way);

class WaitAllBesideAThread : public ::testing::TestWithParam<std::string> {};

TEST_P(WaitAllBesideAThread, LeavesItTheCallsThatNobodyWaitsFor) {
  spawn({.size = 2, .transport = GetParam(), .timeout_ms = 30'000}, [](Communicator& rank) {
    Communicator same = *rank.split(0);
    Sums sums, more;
    if (rank.rank() == 1) std::this_thread::sleep_for(kLate);
    std::vector<Work> works = sums.start(rank, same);
    if (rank.rank() == 1) {
      wait_all(works);
      std::this_thread::sleep_for(kLate);
    }
    std::vector<Work> others = more.start(rank, same);
    wait_all(works);
    const auto give_up = steady_clock::now() + 10 * kLate;
    for (Work& work : others) {
      while (!work.test() && steady_clock::now() < give_up)
        std::this_thread::sleep_for(milliseconds(1));
      EXPECT_TRUE(work.test());
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Transports, WaitAllBesideAThread,
                         ::testing::Values("inproc", "shm", "tcp"),
                         [](const auto& parameters) { return parameters.param; });

}  // namespace
}  // namespace rondo::testing
