// Two threads in the calls of one handle: the second is told so, whatever the two call, and the
// first goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/ways.h"

namespace rondo::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr int kTag = 3;
/// As a message, more than goes out before anybody asks for it: its sender waits.
constexpr std::size_t kCount = 50'000;
/// For what a handle that refuses nobody would let wait for ever.
constexpr auto kPatience = std::chrono::seconds(15);

/// A call of rank 0, and the part of rank 1 in it.
struct SharedCall {
  const char* name;
  RankFunction own;
  RankFunction peers;
};

/// Whether there is another thread in the handle's calls.
bool is_refused(Communicator& handle, const RankFunction& call) {
  try {
    call(handle);
    return false;
  } catch (const Error& error) {
    const bool is_told =
        std::string(error.what()).find("another thread is inside a call") != std::string::npos;
    EXPECT_TRUE(is_told) << error.what();
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return is_told;
  }
}

class SecondThread : public ::testing::TestWithParam<Way> {
 protected:
  SecondThread()
      : ranks_(make_world({.size = 2,
                           .transport = std::get<0>(GetParam()),
                           .timeout_ms = 20'000,
                           .progress = std::get<1>(GetParam())})),
        prepared_(ranks_[0].prepare(Call::barrier())),
        data_(ranks_.size(), std::vector<float>(kCount, 1.F)) {}

  static std::vector<Communicator> new_world() {
    return make_world({.size = 2,
                       .transport = std::get<0>(GetParam()),
                       .timeout_ms = 60'000,
                       .progress = std::get<1>(GetParam())});
  }
  Buffer data(const Communicator& rank) {
    return {data_[static_cast<std::size_t>(rank.rank())].data(), kCount};
  }
  /// Those of rank 0 that can't end before rank 1 has done its part.
  std::vector<SharedCall> waiting_calls() {
    const RankFunction barrier = [](Communicator& rank) { rank.barrier(); };
    const RankFunction sum = [this](Communicator& rank) { rank.all_reduce(data(rank)); };
    const RankFunction split = [](Communicator& rank) { rank.split(0, rank.rank()); };
    const RankFunction send = [this](Communicator& rank) {
      rank.send(data(rank), 1 - rank.rank(), kTag);
    };
    const RankFunction receive = [this](Communicator& rank) {
      rank.receive(data(rank), 1 - rank.rank(), kTag);
    };
    return {{"barrier", barrier, barrier},
            {"all_reduce", sum, sum},
            {"Prepared::run", [this](Communicator&) { prepared_.run(); }, barrier},
            {"split", split, split},
            {"send", send, receive},
            {"receive", receive, send}};
  }
  std::vector<SharedCall> all_calls() {
    std::vector<SharedCall> calls = waiting_calls();
    const auto add = [&calls](const char* name, const RankFunction& call) {
      calls.push_back({name, call, nullptr});
    };
    add("run", [](Communicator& rank) { rank.run(Call::barrier()); });
    add("prepare", prepare_);
    add("start", [](Communicator& rank) { rank.start(Call::barrier()); });
    add("start of a receive",
        [this](Communicator& rank) { rank.start(Call::receive(data(rank), 1, kTag)); });
    add("Prepared::start", [this](Communicator&) { prepared_.start(); });
    add("last_call", [](Communicator& rank) { rank.last_call(); });
    add("traffic", [](Communicator& rank) { rank.traffic(); });
    add("metrics", [](Communicator& rank) { rank.metrics(); });
    add("set_trace", [](Communicator& rank) { rank.set_trace(nullptr); });
    return calls;
  }
  /// By a call that is over at once where nobody is.
  void wait_until_somebody_is_inside() {
    const auto give_up = std::chrono::steady_clock::now() + kPatience;
    while (!is_refused(ranks_[0], prepare_) && std::chrono::steady_clock::now() < give_up)
      std::this_thread::yield();
  }
  void expect_usable() {
    const auto errors = run_ranks(ranks_, [](Communicator& rank) {
      float sum = 1.F + static_cast<float>(rank.rank());
      rank.all_reduce({&sum, 1});
      EXPECT_EQ(sum, 3.F);
    });
    EXPECT_THAT(errors, Each(""));
  }

  const RankFunction prepare_ = [](Communicator& rank) { rank.prepare(Call::barrier()); };
  std::vector<Communicator> ranks_;
  Prepared prepared_;
  std::vector<std::vector<float>> data_;  ///< by rank
};

TEST_P(SecondThread, BesideAnyCall_IsRefusedAnyOther_AndTheFirstEnds) {
  // Messages leave a world behind whose calls others may move on: the second time it is one.
  for (int turn = 0; turn < 2; ++turn) {
    for (const SharedCall& first : waiting_calls()) {
      std::thread inside([&] {
        while (is_refused(ranks_[0], first.own)) std::this_thread::yield();
      });
      wait_until_somebody_is_inside();
      for (const SharedCall& second : all_calls())
        EXPECT_TRUE(is_refused(ranks_[0], second.own)) << second.name << " beside " << first.name;
      EXPECT_NO_THROW(first.peers(ranks_[1]));
      inside.join();
      expect_usable();
    }
  }
}

/// What ended it, as text.
std::string error_of(Communicator& rank, const RankFunction& call) {
  try {
    call(rank);
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

/// A program's watchdog.
TEST_P(SecondThread, Abort_EndsTheCallThatTheFirstIsIn) {
  for (const bool has_started_calls : {false, true}) {
    for (const SharedCall& first : waiting_calls()) {
      if (first.name == std::string("Prepared::run")) continue;  // of the first world
      ranks_ = new_world();
      if (has_started_calls)
        run_ranks(ranks_, [](Communicator& rank) { rank.start(Call::barrier()).wait(); });
      std::string error;
      std::thread inside([&] {
        while (error.empty() || error.find("another thread is inside") != std::string::npos)
          error = error_of(ranks_[0], first.own);
      });
      wait_until_somebody_is_inside();
      const auto before = std::chrono::steady_clock::now();
      ranks_[0].abort(Error(ErrorCode::kInternal, "the watchdog barks"));
      inside.join();
      EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(30)) << first.name;
      EXPECT_THAT(error, HasSubstr("the watchdog barks")) << first.name;
      // What rank 0 had sent by then may be enough for this call, but not for the next.
      error_of(ranks_[1], first.peers);
      const auto barrier = [](Communicator& rank) { rank.barrier(); };
      EXPECT_THAT(error_of(ranks_[1], barrier), HasSubstr("the watchdog barks")) << first.name;
    }
  }
}

/// It may come between two calls, and is no call that those are refused beside.
TEST_P(SecondThread, Abort_BetweenCallsOfTheFirst_IsWhatTheyFailWith) {
  for (int round = 0; round < 60; ++round) {
    ranks_ = new_world();
    std::atomic<int> calls = 0;
    std::thread watchdog([&] {
      while (calls < round % 7) std::this_thread::yield();
      ranks_[0].abort(Error(ErrorCode::kInternal, "the watchdog barks"));
    });
    const auto errors = run_ranks(ranks_, [&calls](Communicator& rank) {
      float value = 1;
      for (;;) {
        rank.all_reduce({&value, 1});
        if (rank.rank() == 0) ++calls;
      }
    });
    watchdog.join();
    EXPECT_THAT(errors, Each(HasSubstr("the watchdog barks"))) << round;
  }
}

/// The first message of a world, which turns it into one whose calls others may move on; by a plain
/// thread, and by one in a continuation of another world, which doesn't wait for this one.
TEST_P(SecondThread, Abort_AsTheFirstReceiveBegins_EndsIt) {
  for (int round = 0; round < 60; ++round) {
    ranks_ = new_world();
    auto others = new_world();
    std::atomic<bool> begins = false;
    const auto bark = [&] {
      while (!begins) {
      }
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(round * 3);
      while (std::chrono::steady_clock::now() < until) {
      }
      ranks_[0].abort(Error(ErrorCode::kInternal, "the watchdog barks"));
    };
    std::thread peer([&others] { others[1].barrier(); });
    std::thread watchdog([&] {
      Work work = others[0].start(Call::barrier());
      if (round % 2 == 0) work.then([&bark](const Error*) { bark(); });
      work.wait();
      if (round % 2 == 1) bark();
    });
    const auto before = std::chrono::steady_clock::now();
    begins = true;
    const std::string error =
        error_of(ranks_[0], [this](Communicator& rank) { rank.receive(data(rank), 1, kTag); });
    watchdog.join();
    peer.join();
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(30)) << round;
    EXPECT_THAT(error, HasSubstr("the watchdog barks")) << round;
  }
}

/// In a call of one world, whose function ends the other.
struct Ender {
  Communicator* other = nullptr;
  std::atomic<int>* inside = nullptr;

  static void combine(void* left, const void* right, std::size_t count, DataType, void* context) {
    for (std::size_t i = 0; i < count; ++i)
      static_cast<float*>(left)[i] += static_cast<const float*>(right)[i];
    auto& own = *static_cast<Ender*>(context);
    if (own.other == nullptr) return;
    ++*own.inside;
    wait_until([&own] { return *own.inside >= 2; });
    std::exchange(own.other, nullptr)->abort(Error(ErrorCode::kInternal, "the watchdog barks"));
  }
};

TEST_P(SecondThread, ReductionsOfTwoWorldsThatAbortEachOther_End) {
  for (const bool has_started_calls : {false, true}) {
    std::vector<Communicator> worlds[2] = {new_world(), new_world()};
    std::atomic<int> inside = 0;
    std::vector<std::thread> threads;
    for (int which = 0; which < 2; ++which) {
      threads.emplace_back([&, which] {
        const auto errors = run_ranks(worlds[which], [&, which](Communicator& rank) {
          if (has_started_calls) rank.start(Call::barrier()).wait();
          Ender ender{.other = rank.rank() == 0 ? &worlds[1 - which][0] : nullptr,
                      .inside = &inside};
          float value = 1;
          const auto own = Reduction::custom(
              {.function = &Ender::combine, .context = &ender, .commutative = true});
          for (;;) rank.all_reduce({&value, 1}, own);
        });
        EXPECT_THAT(errors, Each(HasSubstr("the watchdog barks")));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

/// As a program does that says what it was at.
TEST_P(SecondThread, LooksBesideAnAbort_AreNotRefused) {
  for (int round = 0; round < 40; ++round) {
    ranks_ = new_world();
    std::atomic<bool> begins = false;
    std::thread watchdog([&] {
      while (!begins) {
      }
      ranks_[0].abort(Error(ErrorCode::kInternal, "the watchdog barks"));
    });
    begins = true;
    for (int look = 0; look < 50; ++look) EXPECT_NO_THROW(ranks_[0].last_call()) << round;
    watchdog.join();
  }
}

/// What a watchdog asks for now and then. A look beside a call is refused; a call that meets a look
/// is not.
TEST_P(SecondThread, LooksBetweenCallsOfTheFirst_AreNoneThatTheyAreRefusedBeside) {
  const std::vector<RankFunction> looks = {[](Communicator& rank) { rank.last_call(); },
                                           [](Communicator& rank) { rank.traffic(); },
                                           [](Communicator& rank) { rank.metrics(); },
                                           [](Communicator& rank) { rank.set_trace(nullptr); }};
  for (const bool has_started_calls : {false, true}) {
    ranks_ = new_world();
    std::atomic<bool> has_ended = false;
    std::thread watchdog([&] {
      while (!has_ended)
        for (const RankFunction& look : looks) is_refused(ranks_[0], look);
    });
    const auto errors = run_ranks(ranks_, [&](Communicator& rank) {
      if (has_started_calls) rank.start(Call::barrier()).wait();
      float value = 0;
      for (int call = 0; call < 2000; ++call) rank.all_reduce({&value, 1});
    });
    has_ended = true;
    watchdog.join();
    EXPECT_THAT(errors, Each(""));
    for (const RankFunction& look : looks) EXPECT_FALSE(is_refused(ranks_[0], look));
  }
}

/// Whoever runs it is no second thread in the handle's calls.
TEST_P(SecondThread, ContinuationThatLooks_IsNoneBesideTheFirst) {
  const auto errors = run_ranks(ranks_, [](Communicator& rank) {
    for (int round = 0; round < 300; ++round) {
      Work work = rank.start(Call::barrier());
      work.then([&rank](const Error*) {
        rank.last_call();
        rank.metrics();
      });
      const auto until =
          std::chrono::steady_clock::now() + std::chrono::microseconds(round % 50 * 3);
      while (std::chrono::steady_clock::now() < until) {
      }
      rank.barrier();
      work.wait();
    }
  });
  EXPECT_THAT(errors, Each(""));
}

/// Two threads enter one handle at the same moment, as nearly as they can; how many were refused.
/// Which is the second is theirs to find out: the first can't end before it is known.
int refused_of_two(std::vector<Communicator>& ranks) {
  std::atomic<int> refused = 0, here = 0;
  const auto call = [&] {
    for (++here; here < 2;) {
    }
    if (is_refused(ranks[0], [](Communicator& rank) { rank.barrier(); })) ++refused;
  };
  std::thread one(call), other(call);
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (refused == 0 && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
  ranks[1].barrier();
  one.join();
  other.join();
  return refused;
}

TEST_P(SecondThread, AtTheSameMoment_OneOfTheTwoPasses) {
  for (int round = 0; round < 100; ++round) ASSERT_EQ(refused_of_two(ranks_), 1) << round;
}

INSTANTIATE_TEST_SUITE_P(Worlds, SecondThread, every_way(), name_of_way);

}  // namespace
}  // namespace rondo::testing
