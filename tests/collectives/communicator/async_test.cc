// Started calls: in order, as many as one likes, moved on by a thread or by their caller, and with
// the same results as blocking ones.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
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

/// Different on every rank, for every call and element; sums of a few are exact.
float value(int rank, std::size_t call, std::size_t i) {
  return 0.25F * static_cast<float>(rank + 1) + static_cast<float>(call % 97) +
         0.5F * static_cast<float>(i % 13);
}

float sum(int world, std::size_t call, std::size_t i) {
  float total = 0;
  for (int rank = 0; rank < world; ++rank) total += value(rank, call, i);
  return total;
}

std::vector<float> filled(int rank, std::size_t call, std::size_t count) {
  std::vector<float> data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = value(rank, call, i);
  return data;
}

void expect_sums(const std::vector<float>& data, int world, std::size_t call) {
  for (std::size_t i = 0; i < data.size(); ++i) ASSERT_EQ(data[i], sum(world, call, i)) << call;
}

class Async : public ::testing::TestWithParam<std::tuple<std::string, std::string, int>> {
 protected:
  World world() const {
    const auto& [transport, progress, size] = GetParam();
    return {.size = size, .transport = transport, .timeout_ms = 30'000, .progress = progress};
  }
  int size() const { return std::get<2>(GetParam()); }
};

TEST_P(Async, AThousandCallsBeforeTheFirstWait_EndRightInAnyOrderOfWaiting) {
  spawn(world(), [&](Communicator& rank) {
    std::vector<std::vector<float>> data;
    std::vector<Work> works;
    for (std::size_t call = 0; call < 1000; ++call) {
      data.push_back(filled(rank.rank(), call, 1 + call * 7 % 300));
      works.push_back(rank.start(Call::all_reduce({data[call].data(), data[call].size()})));
    }
    works[700].wait();
    expect_sums(data[700], size(), 700);
    EXPECT_TRUE(works[3].test()) << "an older call is done";
    for (std::size_t call = 1000; call-- > 0;) works[call].wait();
    for (std::size_t call = 0; call < 1000; ++call) expect_sums(data[call], size(), call);
  });
}

TEST_P(Async, BlockingCallsBetweenStartedOnes_WaitTheirTurn) {
  spawn(world(), [&](Communicator& rank) {
    for (std::size_t round = 0; round < 20; ++round) {
      std::vector<float> started = filled(rank.rank(), round, 2000);
      std::vector<float> blocking = filled(rank.rank(), round + 1, 3);
      std::vector<float> all(static_cast<std::size_t>(size()));
      Work reduced = rank.start(Call::all_reduce({started.data(), started.size()}));
      rank.all_reduce({blocking.data(), blocking.size()});
      EXPECT_TRUE(reduced.test());
      expect_sums(started, size(), round);
      expect_sums(blocking, size(), round + 1);
      // What the gathered values are is known only once the sums are.
      Work gathered = rank.start(Call::all_gather({blocking.data(), 1}, {all.data(), all.size()}));
      rank.barrier();
      gathered.wait();
      EXPECT_THAT(all, ::testing::Each(blocking[0]));
    }
  });
}

TEST_P(Async, PartsOfDifferentSizes_OutliveTheListsTheyWereGivenIn) {
  spawn(world(), [&](Communicator& rank) {
    const auto ranks = static_cast<std::size_t>(size());
    std::vector<std::vector<float>> outputs;
    std::vector<std::vector<float>> inputs;
    std::vector<Work> works;
    for (std::size_t call = 0; call < 30; ++call) {  // more than there are kept plans
      std::vector<std::size_t> counts(ranks);
      std::size_t total = 0;
      for (std::size_t r = 0; r < ranks; ++r) total += counts[r] = (call + r) % 11;
      inputs.push_back(filled(rank.rank(), call, counts[static_cast<std::size_t>(rank.rank())]));
      outputs.emplace_back(total);
      works.push_back(rank.start(Call::all_gather_v({inputs[call].data(), inputs[call].size()},
                                                    {outputs[call].data(), total}, counts)));
    }
    wait_all(works);
    for (std::size_t call = 0; call < 30; ++call) {
      std::vector<float> expected;
      for (std::size_t r = 0; r < ranks; ++r) {
        const auto part = filled(static_cast<int>(r), call, (call + r) % 11);
        expected.insert(expected.end(), part.begin(), part.end());
      }
      EXPECT_EQ(outputs[call], expected) << "call " << call;
    }
  });
}

TEST_P(Async, WaitFor_ALatePeer_GivesUpWaitingButNotTheCall) {
  std::atomic<bool> has_given_up = false;
  spawn(world(), [&](Communicator& rank) {
    std::vector<float> data = filled(rank.rank(), 1, 500);
    if (rank.rank() == size() - 1) {
      while (!has_given_up) std::this_thread::sleep_for(milliseconds(1));
      rank.all_reduce({data.data(), data.size()});
    } else {
      Work work = rank.start(Call::all_reduce({data.data(), data.size()}));
      if (rank.rank() == 0) {
        EXPECT_FALSE(work.wait_for(milliseconds(0)));
        EXPECT_FALSE(work.wait_for(milliseconds(30)));
        has_given_up = true;
      }
      EXPECT_TRUE(work.wait_for(milliseconds(20'000)));
    }
    expect_sums(data, size(), 1);
  });
}

TEST_P(Async, Test_Alone_BringsTheCallToItsEnd) {
  spawn(world(), [&](Communicator& rank) {
    std::vector<float> data = filled(rank.rank(), 5, 70'000);
    Work work = rank.start(Call::all_reduce({data.data(), data.size()}));
    while (!work.test()) std::this_thread::yield();
    work.wait();
    expect_sums(data, size(), 5);
  });
}

TEST_P(Async, Continuations_RunOnceInOrderBeforeTheWaitReturns) {
  const auto nothing = [](const Error*) {};
  spawn(world(), [&](Communicator& rank) {
    std::vector<int> order;
    std::vector<Work> works;
    for (int i = 0; i < 10; ++i) {
      works.push_back(rank.start(Call::barrier()));
      works.back().then([&order, i](const Error* error) {
        EXPECT_EQ(error, nullptr);
        order.push_back(i);
      });
    }
    works.back().wait();
    EXPECT_THAT(order, ::testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    EXPECT_THROW(works[0].then(nothing), Error) << "it has one";
  });
}

TEST_P(Async, AContinuationOfACallThatIsDone_RunsAtOnce) {
  spawn(world(), [&](Communicator& rank) {
    Work late = rank.start(Call::barrier());
    late.wait();
    bool ran = false;
    late.then([&ran](const Error* error) { ran = error == nullptr; });
    EXPECT_TRUE(ran) << "the call was done";
  });
}

// What it captured lies behind it: it is read once more after the work is gone.
TEST_P(Async, AContinuation_MayDropItsOwnWork) {
  spawn(world(), [](Communicator& rank) {
    double value = rank.rank() + 0.5;
    for (const bool is_done : {false, true}) {
      auto work = std::make_unique<Work>(rank.start(Call::all_reduce({&value, 1})));
      while (is_done && !work->test()) std::this_thread::yield();
      const std::string name(100, 'x');
      std::atomic<int> length = 0;
      Work& mine = *work;
      mine.then([&work, &length, name](const Error* error) {
        EXPECT_EQ(error, nullptr);
        work.reset();
        length = static_cast<int>(std::ranges::count(name, 'x'));
      });
      while (length == 0) rank.progress();
      EXPECT_EQ(length, 100);
    }
    rank.barrier();
  });
}

TEST_P(Async, MovedInto_DropsWhatItHad_AndLeavesNothing) {
  spawn(world(), [this](Communicator& rank) {
    double first = 1;
    double second = 2;
    Work a = rank.start(Call::all_reduce({&first, 1}));
    Work b = rank.start(Call::all_reduce({&second, 1}));
    a = std::move(b);
    EXPECT_TRUE(b.test());  // NOLINT(bugprone-use-after-move)
    b.cancel();
    a.wait();
    EXPECT_EQ(first, size());
    EXPECT_EQ(second, 2 * size());
    RegisteredMemory one(64);
    RegisteredMemory other(128);
    one = std::move(other);
    EXPECT_EQ(other.data(), nullptr);  // NOLINT(bugprone-use-after-move)
    rank.barrier();
  });
}

TEST_P(Async, Continuation_ThatThrows_IsHeardByWait_AndHurtsNobodyElse) {
  spawn(world(), [&](Communicator& rank) {
    Work work = rank.start(Call::barrier());
    work.then([](const Error*) { throw std::runtime_error("from the continuation"); });
    Work next = rank.start(Call::barrier());
    next.wait();
    EXPECT_THROW(work.wait(), std::runtime_error);
    rank.barrier();
  });
}

TEST_P(Async, Prepared_RunsManyTimesOnTheSameBuffers) {
  spawn(world(), [&](Communicator& rank) {
    std::vector<float> data(257);
    Prepared prepared = rank.prepare(Call::all_reduce({data.data(), data.size()}));
    for (std::size_t round = 0; round < 10; ++round) {
      std::ranges::copy(filled(rank.rank(), round, data.size()), data.begin());
      if (round % 2 == 0) {
        prepared.run();
      } else {
        prepared.start().wait();
      }
      expect_sums(data, size(), round);
    }
  });
}

TEST_P(Async, Dropped_Works_RunAllTheSame) {
  spawn(world(), [&](Communicator& rank) {
    std::vector<float> data = filled(rank.rank(), 4, 100);
    rank.start(Call::all_reduce({data.data(), data.size()}));
    rank.barrier();
    expect_sums(data, size(), 4);
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, Async,
                         ::testing::Combine(::testing::Values("inproc", "shm", "tcp"),
                                            ::testing::Values("thread", "caller"),
                                            ::testing::Values(2, 3)),
                         [](const auto& parameters) {
                           return std::get<0>(parameters.param) + "_" +
                                  std::get<1>(parameters.param) + "_" +
                                  std::to_string(std::get<2>(parameters.param));
                         });

/// One thread for all ranks: nothing ends unless every handle is moved on.
class OneThread : public ::testing::TestWithParam<Way> {
 protected:
  std::vector<Communicator> world(int size) const {
    const auto& [transport, progress] = GetParam();
    return make_world({.size = size, .transport = transport, .progress = progress});
  }
};

TEST_P(OneThread, WithAllPlacesOfAWorld_StartsAndWaitsForAll) {
  auto ranks = world(4);
  for (std::size_t round = 0; round < 5; ++round) {
    std::vector<std::vector<float>> data;
    std::vector<Work> works;
    for (Communicator& rank : ranks) {
      data.push_back(filled(rank.rank(), round, 1000 * round + 10));
      works.push_back(rank.start(Call::all_reduce({data.back().data(), data.back().size()})));
    }
    wait_all(works);
    for (const auto& own : data) expect_sums(own, 4, round);
  }
}

TEST_P(OneThread, WithTwoWorlds_MayStartThemInAnyOrderOnEachRank) {
  auto first = world(2);
  auto second = world(2);
  std::vector<float> a = filled(0, 1, 5000), b = filled(1, 1, 5000);
  std::vector<float> c = filled(0, 2, 5000), d = filled(1, 2, 5000);
  std::vector<Work> works;
  works.push_back(first[0].start(Call::all_reduce({a.data(), a.size()})));
  works.push_back(second[0].start(Call::all_reduce({c.data(), c.size()})));
  works.push_back(second[1].start(Call::all_reduce({d.data(), d.size()})));
  works.push_back(first[1].start(Call::all_reduce({b.data(), b.size()})));
  wait_all(works);
  expect_sums(a, 2, 1);
  expect_sums(b, 2, 1);
  expect_sums(c, 2, 2);
  expect_sums(d, 2, 2);
}

TEST_P(OneThread, WherePlacesFailOneByOne_NoneWaitsForAnother) {
  auto ranks = world(3);
  std::vector<std::vector<float>> data(3, std::vector<float>(200'000, 1.5F));
  std::vector<Work> works;
  for (std::size_t i = 0; i < 2; ++i)
    works.push_back(ranks[i].start(Call::all_reduce({data[i].data(), data[i].size()})));
  works[0].cancel();
  for (Work& work : works) {
    try {
      work.wait();
      ADD_FAILURE() << "the call was given up";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCancelled) << error.what();
      EXPECT_EQ(error.culprit(), 0) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, OneThread, every_way(), name_of_way);

TEST(AsyncAlone, AWorldOfOne_IsDoneAtOnce) {
  auto ranks = make_world({.size = 1});
  std::vector<float> input = filled(0, 3, 10), output(10);
  Work work = ranks[0].start(Call::all_reduce({input.data(), 10}, {output.data(), 10}));
  EXPECT_TRUE(work.test());
  EXPECT_EQ(output, input);
  ranks[0].prepare(Call::barrier()).run();
}

TEST(AsyncBound, MoreThanCanBeOutstanding_WaitForTheOldest) {
  spawn({.size = 2, .transport = "shm"}, [](Communicator& rank) {
    std::vector<Work> works;
    float last = static_cast<float>(rank.rank());
    for (int call = 0; call < 10'000; ++call) works.push_back(rank.start(Call::barrier()));
    rank.all_reduce({&last, 1});
    EXPECT_EQ(last, 1);
    EXPECT_TRUE(works.front().test());
    works.back().wait();
  });
}

}  // namespace
}  // namespace rondo::testing
