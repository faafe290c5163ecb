// The runner of short messages against its specification: ranks that run a plan by PlanRunner and
// ranks that run it by EagerRunner meet in one world, and all end with the same bits.

#include "collectives/execute/host/eager_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/collectives/execute/rank.h"

namespace rondo::execute {
namespace {

using Values = std::vector<std::vector<float>>;  // by rank

struct Case {
  std::string algorithm;
  int world = 2;
};

class Eager : public testing::TestWithParam<Case> {
 protected:
  explicit Eager(transport::TransportKind kind = transport::TransportKind::kShm) {
    static std::uint64_t jobs = 9000;
    std::vector<std::string> addresses;
    const int world = GetParam().world;
    for (int rank = 0; rank < world; ++rank) {
      addresses.push_back(ranks_.emplace_back(kind, jobs, rank, world).address());
    }
    ++jobs;
    each([&](Rank& rank, std::size_t) { rank.connect(addresses); });
  }
  void each(const std::function<void(Rank&, std::size_t)>& work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      threads.emplace_back([&, i] { work(ranks_[i], i); });
    for (std::thread& thread : threads) thread.join();
  }
  /// Rank i takes the path i of `paths`, which begin again behind the last.
  Values reduced(Values values, ReduceOp op, const std::vector<Path>& paths) {
    each([&](Rank& rank, std::size_t i) {
      const Path path = paths[i % paths.size()];
      const Status status = rank.all_reduce(values[i], op, path, GetParam().algorithm);
      EXPECT_TRUE(status.ok()) << status.to_string();
    });
    return values;
  }

  std::vector<Rank> ranks_;
};

class EagerPair : public Eager {};

class EagerWrittenBack : public Eager {};

class EagerOverTcp : public Eager {
 protected:
  EagerOverTcp() : Eager(transport::TransportKind::kTcp) {}
};

TEST_P(Eager, AnyMixOfRanks_HasTheBitsOfThePlan) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> draw(-3, 3);
  using enum Path;
  const std::vector<std::vector<Path>> mixes{{kEager},
                                             {kEager, kPlan},
                                             {kPlan, kEager},
                                             {kRegisteredEager},
                                             {kRegisteredEager, kRegisteredPlan},
                                             {kPlan, kRegisteredEager, kRegisteredEager},
                                             {kRegisteredPlan, kEager},
                                             {kRegisteredEager, kEager},
                                             {kLendingEager},
                                             {kLendingEager, kPlan},
                                             {kLendingEager, kEager, kRegisteredEager}};
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kAvg}) {
    for (const std::size_t count : {0U, 1U, 7U, 300U, 4096U}) {
      Values values(ranks_.size(), std::vector<float>(count));
      for (auto& own : values)
        for (float& value : own) value = draw(random);
      const Values planned = reduced(values, op, {kPlan});
      for (std::size_t mix = 0; mix < mixes.size(); ++mix)
        EXPECT_EQ(reduced(values, op, mixes[mix]), planned) << count << " mix " << mix;
    }
  }
}

TEST_P(EagerOverTcp, AnyMixOfRanks_HasTheBitsOfThePlan) {
  std::mt19937 random(12);
  std::uniform_real_distribution<float> draw(-3, 3);
  using enum Path;
  const std::vector<std::vector<Path>> mixes{{kEager}, {kEager, kPlan}, {kPlan, kEager, kEager}};
  for (const std::size_t count : {0U, 1U, 7U, 200U, 256U}) {
    Values values(ranks_.size(), std::vector<float>(count));
    for (auto& own : values)
      for (float& value : own) value = draw(random);
    const Values planned = reduced(values, ReduceOp::kSum, {kPlan});
    for (const auto& mix : mixes) ASSERT_EQ(reduced(values, ReduceOp::kSum, mix), planned);
  }
}

/// Far more calls than a window holds messages, of ranks that are late, and early, by turns.
TEST_P(EagerOverTcp, CallsInARowByLateRanks_HaveTheBitsOfThePlan) {
  constexpr std::size_t kCalls = 120;
  std::mt19937 random(13);
  std::uniform_real_distribution<float> draw(-3, 3);
  std::vector<Values> given(kCalls), planned;
  for (std::size_t call = 0; call < kCalls; ++call) {
    given[call].assign(ranks_.size(), std::vector<float>(call % 5 == 0 ? 2000 : call));
    for (auto& own : given[call])
      for (float& value : own) value = draw(random);
    planned.push_back(reduced(given[call], ReduceOp::kSum, {Path::kPlan}));
  }
  each([&](Rank& rank, std::size_t i) {
    std::mt19937 own_random(static_cast<unsigned int>(i));
    for (std::size_t call = 0; call < kCalls; ++call) {
      if (own_random() % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      std::vector<float> data = given[call][i];
      const Path path = own_random() % 4 == 0 ? Path::kPlan : Path::kEager;
      const Status status = rank.all_reduce(data, ReduceOp::kSum, path, GetParam().algorithm);
      ASSERT_TRUE(status.ok()) << status.to_string();
      ASSERT_EQ(data, planned[call][i]) << "call " << call;
    }
  });
}

/// What is copied or written by the system takes a part of the call's time that is seen.
TEST_P(EagerPair, HeadStarts_AreAsLongAsTheirMessages) {
  each([&](Rank& rank, std::size_t) {
    EXPECT_EQ(rank.head_start(64, GetParam().algorithm, true), HeadStart::kShort);
    EXPECT_EQ(rank.head_start(2048, GetParam().algorithm, true), HeadStart::kLong);
    // The peer may have its turn, and this one's message, before the clock is read.
    EXPECT_EQ(rank.head_start(64, GetParam().algorithm, false), HeadStart::kLong);
  });
}

TEST_P(EagerOverTcp, HeadStarts_AreLong) {
  each([&](Rank& rank, std::size_t i) {
    const HeadStart start = rank.head_start(8, GetParam().algorithm, true);
    EXPECT_NE(start, HeadStart::kShort) << i;  // some begin with a receive
  });
}

// In a world of two nobody else is left waiting.
TEST_P(EagerPair, PeerOfAnotherCount_IsAMismatch) {
  std::vector<Status> results(ranks_.size());
  each([&](Rank& rank, std::size_t i) {
    std::vector<float> data(i == 0 ? 600 : 601, 0.5F);
    const Path path = i == 0 ? Path::kEager : Path::kRegisteredEager;
    results[i] = rank.all_reduce(data, ReduceOp::kSum, path, GetParam().algorithm);
  });
  EXPECT_TRUE(std::ranges::any_of(
      results, [](const Status& status) { return status.code() == ErrorCode::kMismatch; }));
}

/// What comes last is copied out of a slot, which is no wait. Ranks are late by turns: whoever
/// comes to a peer that sleeps has reduced before it, and waits for what that writes back. Left
/// alone, two ranks that share a core may always wait in the same order.
TEST_P(EagerWrittenBack, AWait_EndsWhereTheCopyBegins) {
  constexpr int kCalls = 200;
  std::atomic<int> ranks_that_ended_so = 0;
  each([&](Rank& rank, std::size_t i) {
    std::vector<float> data(16'384, 0.3F);
    int ended_so = 0;
    for (int call = 0; call < kCalls; ++call) {
      if (call % 2 == static_cast<int>(i))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const Status status =
          rank.all_reduce(data, ReduceOp::kMax, Path::kLendingEager, GetParam().algorithm);
      ASSERT_TRUE(status.ok()) << status.to_string();
      const trace::CallRecord& record = rank.record();
      EXPECT_GT(rank.copying_since(1 - static_cast<int>(i)), record.begun);
      // Where it waited for it at all.
      if (record.last_byte == rank.copying_since(1 - static_cast<int>(i))) ++ended_so;
      EXPECT_LE(record.wait + record.reduce, record.done - record.begun);
    }
    if (ended_so > 0) ++ranks_that_ended_so;
  });
  EXPECT_EQ(ranks_that_ended_so, 2);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, EagerWrittenBack, testing::Values(Case{"direct", 2}),
                         [](const auto& parameters) { return parameters.param.algorithm; });

INSTANTIATE_TEST_SUITE_P(Algorithms, EagerPair,
                         testing::Values(Case{"direct", 2}, Case{"recursive_doubling", 2}),
                         [](const auto& parameters) { return parameters.param.algorithm; });

INSTANTIATE_TEST_SUITE_P(Algorithms, EagerOverTcp,
                         testing::Values(Case{"recursive_doubling", 2},
                                         Case{"recursive_doubling", 5}, Case{"one_shot", 3},
                                         Case{"direct", 4}, Case{"ring", 3}),
                         [](const auto& parameters) {
                           return parameters.param.algorithm + "_" +
                                  std::to_string(parameters.param.world);
                         });

INSTANTIATE_TEST_SUITE_P(Algorithms, Eager,
                         testing::Values(Case{"direct", 2}, Case{"direct", 5}, Case{"ring", 3},
                                         Case{"ring", 5}, Case{"one_shot", 3},
                                         Case{"recursive_doubling", 5}, Case{"halving_doubling", 5},
                                         Case{"neighbour_ring", 3}, Case{"halving_doubling", 16}),
                         [](const auto& parameters) {
                           return parameters.param.algorithm + "_" +
                                  std::to_string(parameters.param.world);
                         });

}  // namespace
}  // namespace rondo::execute
