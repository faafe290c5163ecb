// A deadline is the call's own: what else moves on the same rank doesn't put it off.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/collectives/communicator/polling.h"
#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/ways.h"

namespace rondo::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Deadlines : public InAWay {};

/// Again and again; it ends by what it throws, or fails the test by coming to its end.
void go_on(const std::function<void()>& call) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < end) call();
}

/// A thread that stands still may miss a deadline by itself: one try of several has to go well.
/// `make_it` returns the errors of the ranks of a world of its own.
void expect_good_try(const std::function<std::vector<std::string>()>& make_it) {
  std::vector<std::string> errors;
  for (int tries = 0; tries < 5; ++tries) {
    errors = make_it();
    if (std::ranges::all_of(errors, &std::string::empty)) break;
  }
  EXPECT_THAT(errors, Each(IsEmpty()));
}

/// A receive of rank 0's that nobody sends for.
struct InVain {
  double nothing = 0;
  std::string error;
  std::atomic<bool> has_ended = false;
  Work work;

  void start(Communicator& rank) {
    work = rank.start(Call::receive({&nothing, 1}, 1, 42).within(150));
    work.then([this](const Error* why) {
      if (why != nullptr) error = why->what();
      has_ended = true;
    });
  }
  float ended() const { return has_ended ? 1.F : 0.F; }
};

/// Again and again until both ranks know that it has ended: `call` is to tell rank 1.
void go_on_until_ended(const std::function<float()>& call) {
  float ended = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (ended == 0 && std::chrono::steady_clock::now() < end) ended = call();
}

TEST_P(Deadlines, OfAReceive_BesideCollectives_AreKept) {
  for (const bool comes_last : {false, true}) {  // and so never waits for anything else
    InVain receive;
    spawn(world(2), [&receive, comes_last](Communicator& rank) {
      if (rank.rank() == 0) receive.start(rank);
      go_on_until_ended([&] {
        if (comes_last && rank.rank() == 0) std::this_thread::sleep_for(milliseconds(1));
        float ended = rank.rank() == 0 ? receive.ended() : 0.F;
        rank.all_reduce({&ended, 1});
        return ended;
      });
    });
    EXPECT_THAT(receive.error, HasSubstr("the deadline of the receive with tag 42"));
  }
}

TEST_P(Deadlines, OfAReceive_BesideMessagesOfTheSamePeer_AreKept) {
  InVain receive;
  spawn(world(2), [&receive](Communicator& rank) {
    std::vector<double> data(20'000, 0.5);
    if (rank.rank() == 0) receive.start(rank);
    go_on_until_ended([&] {
      float ended = receive.ended();
      if (rank.rank() == 0) {
        rank.receive({data.data(), data.size()}, 1, 7);
        rank.send({&ended, 1}, 1, 8);
      } else {
        rank.send({data.data(), data.size()}, 0, 7);
        rank.receive({&ended, 1}, 0, 8);
      }
      return ended;
    });
  });
  EXPECT_THAT(receive.error, HasSubstr("the deadline of the receive with tag 42"));
}

TEST_P(Deadlines, OfACollective_BesideLongMessages_AreKept) {
  auto ranks = make_world(world(3));
  std::atomic<int> ended = 0;
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    if (rank.rank() == 2) return wait_until([&] { return ended == 2; });
    std::vector<double> data(20'000, 0.5);
    std::vector<float> sum(1000, 0.25F);
    const Work work = rank.start(Call::all_reduce({sum.data(), sum.size()}).within(150));
    try {
      go_on([&] {
        if (rank.rank() == 0) rank.receive({data.data(), data.size()}, 1, 7);
        if (rank.rank() == 1) rank.send({data.data(), data.size()}, 0, 7);
      });
    } catch (...) {
      ++ended;
      throw;
    }
    ++ended;
  });
  for (const int rank : {0, 1})
    EXPECT_THAT(errors[static_cast<std::size_t>(rank)], HasSubstr("for 150 ms in call #1"));
}

/// A receive without one waits for longer than the collective beside it may.
std::vector<std::string> broadcast_beside_a_receive(const World& world) {
  auto ranks = make_world(world);
  std::atomic<bool> has_waited = false;
  return run_ranks(ranks, [&](Communicator& rank) {
    double message = rank.rank() + 0.25;
    std::vector<float> data(3, static_cast<float>(rank.rank()) + 0.5F);
    if (rank.rank() == 1) {
      wait_until([&] { return has_waited.load(); });
      rank.broadcast({data.data(), data.size()}, 1);
      rank.send({&message, 1}, 0);
      return;
    }
    Work received = rank.start(Call::receive({&message, 1}, 1));
    EXPECT_FALSE(received.wait_for(milliseconds(800)));
    has_waited = true;
    rank.run(Call::broadcast({data.data(), data.size()}, 1).within(700));
    received.wait();
    EXPECT_EQ(data, std::vector<float>(3, 1.5F));
    EXPECT_EQ(message, 1.25);
  });
}

TEST_P(Deadlines, OfACollective_AreNotThoseOfMessages) {
  expect_good_try([this] { return broadcast_beside_a_receive(world(2)); });
}

/// How a rank of one's own comes to wait for a call until its deadline, which it throws.
struct Wait {
  std::string_view name;
  void (*wait)(Communicator& rank, const Call& call);
};

void start_and_leave(Communicator& rank, const Call& call) {
  Work work = rank.start(call);
  while (!work.test()) std::this_thread::sleep_for(milliseconds(1));
  work.wait();
}

void start_and_poll(Communicator& rank, const Call& call) {
  const int descriptor = rank.descriptor();
  Work work = rank.start(call);
  poll_until_ended(rank, descriptor, 1);
  work.wait();
}

void start_and_wait_for_all(Communicator& rank, const Call& call) {
  std::array<Work, 1> works{rank.start(call)};
  wait_all(works);
}

constexpr std::array kWaits{
    Wait{"blocking", [](Communicator& rank, const Call& call) { rank.run(call); }},
    Wait{"started", [](Communicator& rank, const Call& call) { rank.start(call).wait(); }},
    Wait{"left alone", start_and_leave},
    Wait{"polled", start_and_poll},
    Wait{"waited for with all", start_and_wait_for_all},
};

/// How long a call may stand still, and how much later it may have ended.
struct Limit {
  milliseconds own;
  milliseconds most_late;
  bool is_default = false;  ///< of all calls of the world
};

/// Over before neighbours' calls are compared a second time, ten milliseconds after the first; and
/// far from where sleeps end that double in length up to a tenth of a second.
constexpr std::array kLimits{Limit{milliseconds(2), milliseconds(8)},
                             Limit{milliseconds(150), milliseconds(20)},
                             Limit{milliseconds(150), milliseconds(20), true}};

/// What is wrong with the moment at which it ends `call` with an error; empty where nothing is.
std::string lateness(const Limit& limit, const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(call(), Error);
  const auto took = std::chrono::steady_clock::now() - begin;
  if (took >= limit.own && took < limit.own + limit.most_late) return {};
  return std::to_string(std::chrono::duration<double, std::milli>(took).count()) + " ms";
}

/// Of a call of rank 0 that its peer doesn't make, in a world of its own, in which calls like it
/// have been made before.
std::string lateness_of(const Wait& wait, const World& world, const Limit& limit) {
  auto ranks = make_world(world);
  run_ranks(ranks, [](Communicator& rank) {
    std::array<float, 3> sum{};
    rank.all_reduce({sum.data(), sum.size()});
  });
  std::array<float, 3> data{};
  Call call = Call::all_reduce({data.data(), data.size()});
  if (!limit.is_default) call = call.within(static_cast<int>(limit.own.count()));
  return lateness(limit, [&] { wait.wait(ranks[0], call); });
}

TEST_P(Deadlines, OfACollective_EndItAtTheirMoment) {
  for (const Limit& limit : kLimits) {
    World of_two = world(2);
    if (limit.is_default) of_two.timeout_ms = static_cast<int>(limit.own.count());
    for (const Wait& wait : kWaits) {
      SCOPED_TRACE(wait.name);
      expect_good_try([&] { return std::vector{lateness_of(wait, of_two, limit)}; });
    }
  }
}

/// With that the sleeps begin anew, and the deadline doesn't.
std::string lateness_beside_a_message(const World& world) {
  constexpr Limit kLimit = kLimits[1];
  auto ranks = make_world(world);
  std::string late;
  run_ranks(ranks, [&](Communicator& rank) {
    double message = 0.5;
    if (rank.rank() == 1) {
      std::this_thread::sleep_for(milliseconds(60));
      return rank.send({&message, 1}, 0);
    }
    std::array<float, 3> data{};
    const Work received = rank.start(Call::receive({&message, 1}, 1));
    late = lateness(kLimit, [&] {
      rank.start(Call::all_reduce({data.data(), data.size()})
                     .within(static_cast<int>(kLimit.own.count())))
          .wait();
    });
  });
  return late;
}

TEST_P(Deadlines, OfACollective_EndItAtTheirMoment_BesideAMessage) {
  expect_good_try([this] { return std::vector{lateness_beside_a_message(world(2))}; });
}

/// Nobody has looked for longer than it may take: what has come meanwhile is looked at first.
std::vector<std::string> look_too_late(const World& world) {
  auto ranks = make_world(world);
  std::atomic<bool> may_send = false;
  return run_ranks(ranks, [&may_send](Communicator& rank) {
    double message = rank.rank() + 0.25;
    std::vector<float> data(1000, static_cast<float>(rank.rank()) + 0.5F);
    rank.barrier();
    std::vector<Work> works;
    if (rank.rank() == 0) {
      works.push_back(rank.start(Call::receive({&message, 1}, 1).within(800)));
      works.push_back(rank.start(Call::broadcast({data.data(), data.size()}, 1).within(800)));
      works.front().test();
      try {
        // Its last look is none of the next one's.
        EXPECT_FALSE(works.back().wait_for(milliseconds(0)));
      } catch (...) {
        may_send = true;
        throw;
      }
      may_send = true;
      std::this_thread::sleep_for(milliseconds(1200));
    } else {
      wait_until([&] { return may_send.load(); });
      works.push_back(rank.start(Call::send({&message, 1}, 0)));
      works.push_back(rank.start(Call::broadcast({data.data(), data.size()}, 1)));
    }
    for (Work& work : works) {
      while (!work.test()) std::this_thread::yield();
      work.wait();
    }
    EXPECT_EQ(message, 1.25);
    EXPECT_EQ(data, std::vector<float>(1000, 1.5F));
    rank.barrier();
  });
}

TEST_P(Deadlines, OfCallsThatNobodyDrives_EndNothingThatHasCome) {
  expect_good_try([this] { return look_too_late(world(2)); });
}

/// By whoever has the handle, while another thread waits for one of its calls.
TEST_P(Deadlines, AreNotWaitedForByWhoGivesUp) {
  for (const bool destroys : {false, true}) {
    auto ranks = make_world(world(2));
    double nothing = 0;
    Work stuck = ranks[0].start(Call::receive({&nothing, 1}, 1, 42));
    std::string error;
    std::thread waiter([&] {
      try {
        stuck.wait();
      } catch (const Error& thrown) {
        error = thrown.what();
      }
    });
    std::this_thread::sleep_for(milliseconds(50));
    ranks[0].traffic();
    if (destroys) {
      ranks.erase(ranks.begin());
    } else {
      ranks[0].abort(Error(ErrorCode::kInternal, "enough of it"));
    }
    waiter.join();
    EXPECT_THAT(error, HasSubstr(destroys ? "destroyed its communicator" : "enough of it"));
  }
}

/// Both have come when they are asked for, and the second one is of another type.
TEST_P(Deadlines, AReceiveThatWasMade_IsNoErrorOfTheNext) {
  auto ranks = make_world(world(2));
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    double value = rank.rank() + 0.75;
    if (rank.rank() == 1) {
      for (const int tag : {1, 2, 3}) rank.send({&value, 1}, 0, tag);
      return rank.barrier();
    }
    double first = 0;
    float second = 0;
    rank.receive({&value, 1}, 1, 3);
    const Work never = rank.start(Call::receive({&value, 1}, 1, 4));
    Work made = rank.start(Call::receive({&first, 1}, 1, 1));
    Work refused = rank.start(Call::receive({&second, 1}, 1, 2));
    EXPECT_THROW(refused.wait(), Error);
    EXPECT_NO_THROW(made.wait());
    EXPECT_EQ(first, 1.75);
    rank.barrier();
  });
  for (const std::string& error : errors) EXPECT_THAT(error, HasSubstr("Mismatch"));
}

INSTANTIATE_TEST_SUITE_P(Worlds, Deadlines, every_way(), name_of_way);

}  // namespace
}  // namespace rondo::testing
