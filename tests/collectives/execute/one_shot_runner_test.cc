// The fast path against its specification: ranks that run the schedule `one_shot` and ranks that
// run OneShotRunner meet in one world, and all end with the bits that the schedule alone gives.

#include "collectives/execute/host/one_shot_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "core/dtype.h"
#include "tests/collectives/execute/rank.h"

namespace rondo::execute {
namespace {

using transport::TransportKind;

template <class T>
using Values = std::vector<std::vector<T>>;  // by rank

class OneShot : public testing::TestWithParam<std::tuple<TransportKind, int>> {
 protected:
  OneShot() {
    static std::uint64_t jobs = 7000;
    const auto [kind, world] = GetParam();
    std::vector<std::string> addresses;
    for (int rank = 0; rank < world; ++rank)
      addresses.push_back(ranks_.emplace_back(kind, jobs, rank, world).address());
    ++jobs;
    each([&](Rank& rank, std::size_t) { rank.connect(addresses); });
  }
  void each(const std::function<void(Rank&, std::size_t)>& work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      threads.emplace_back([&, i] { work(ranks_[i], i); });
    for (std::thread& thread : threads) thread.join();
  }
  /// Bit i of `fast`: rank i takes the fast path.
  template <class T>
  Values<T> reduced(Values<T> values, ReduceOp op, unsigned fast) {
    each([&](Rank& rank, std::size_t i) {
      const Status status =
          rank.all_reduce(values[i], op, ((fast >> i) & 1) != 0 ? Path::kOneShot : Path::kPlan);
      EXPECT_TRUE(status.ok()) << status.to_string();
    });
    return values;
  }
  template <class T>
  void expect_bits_of_the_schedule(const Values<T>& values, ReduceOp op) {
    const Values<T> planned = reduced(values, op, 0);
    const unsigned all = (1U << ranks_.size()) - 1;
    for (const unsigned fast : {all, 1U, all - 1, 0b101U & all})
      EXPECT_EQ(reduced(values, op, fast), planned) << to_string(op) << ", fast " << fast;
  }

  /// What becomes of rank 0's two elements where all others bring three.
  Status where_others_give_more(Path path) {
    std::vector<Status> results(ranks_.size());
    each([&](Rank& rank, std::size_t i) {
      std::vector<float> data(i == 0 ? 2 : 3, 0.5F);
      results[i] = rank.all_reduce(data, ReduceOp::kSum, path);
    });
    return results[0];
  }

  /// In the lines of messages; where there are slots, up to a whole one.
  static std::vector<std::size_t> counts() {
    if (std::get<0>(GetParam()) == TransportKind::kInproc) return {0, 1, 2, 5, 6};
    return {0, 1, 6, 7, 250, 16384};
  }

  std::vector<Rank> ranks_;
};

TEST_P(OneShot, AnyMixOfFastAndPlannedRanks_HasTheBitsOfTheSchedule) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> draw(-3, 3);
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kAvg, ReduceOp::kProd, ReduceOp::kMin}) {
    for (const std::size_t count : counts()) {
      Values<float> values(ranks_.size(), std::vector<float>(count));
      for (auto& own : values)
        for (float& value : own) value = draw(random);
      expect_bits_of_the_schedule(values, op);
    }
  }
}

/// The fast path rounds once; so must the schedule, whose ops are joined to one sweep.
TEST_P(OneShot, HalvesOnAnyMix_AreRoundedAlike) {
  std::mt19937 random(6);
  std::uniform_real_distribution<float> draw(-3, 3);
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kAvg, ReduceOp::kProd}) {
    Values<std::uint16_t> values(ranks_.size(), std::vector<std::uint16_t>(12));
    for (auto& own : values)
      for (std::uint16_t& value : own) value = bf16_from_f32(draw(random));
    expect_bits_of_the_schedule(values, op);
  }
}

TEST_P(OneShot, PeerOfAnotherCount_IsAMismatchOnTheFastPathToo) {
  const Status status = where_others_give_more(Path::kOneShot);
  EXPECT_EQ(status.code(), ErrorCode::kMismatch) << status.to_string();
}

TEST_P(OneShot, MoreThanCanBeCopiedAtOnce_IsRefused) {
  const std::size_t most = counts().back() * sizeof(float);
  EXPECT_TRUE(ranks_[0].suits(most));
  EXPECT_FALSE(ranks_[0].suits(most + 1));
}

/// More calls than there are slots, with nothing between them.
TEST_P(OneShot, ManyCallsOneBehindTheOther_KeepEveryContribution) {
  const std::size_t count = counts().back();
  each([&](Rank& rank, std::size_t i) {
    for (int call = 0; call < 40; ++call) {
      std::vector<float> data(count, static_cast<float>(i) + 0.25F * static_cast<float>(call));
      ASSERT_TRUE(rank.all_reduce(data, ReduceOp::kMax, Path::kOneShot).ok());
      const auto greatest =
          static_cast<float>(ranks_.size() - 1) + 0.25F * static_cast<float>(call);
      ASSERT_THAT(data, testing::Each(greatest)) << "call " << call;
    }
  });
}

TEST_P(OneShot, Bulletins_HaveTheBitsOfTheSchedule) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> draw(-3, 3);
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kAvg, ReduceOp::kProd, ReduceOp::kMin}) {
    for (const std::size_t count : std::vector<std::size_t>{0, 1, 2, 5, 6, 7, 16, 250, 256}) {
      Values<float> values(ranks_.size(), std::vector<float>(count));
      for (auto& own : values)
        for (float& value : own) value = draw(random);
      const Values<float> planned = reduced(values, op, 0);
      each([&](Rank& rank, std::size_t i) {
        const Status status = rank.all_reduce(values[i], op, Path::kBulletins);
        EXPECT_TRUE(status.ok()) << status.to_string();
      });
      EXPECT_EQ(values, planned) << to_string(op) << ", count " << count;
    }
  }
}

/// Some by bulletins, some by messages, barriers between them: a rank that is ahead writes over
/// nothing that a slower one hasn't read.
TEST_P(OneShot, BulletinsAmongOtherCalls_KeepEveryContribution) {
  each([&](Rank& rank, std::size_t i) {
    for (int call = 0; call < 600; ++call) {
      const auto own = static_cast<float>(i) + 0.25F * static_cast<float>(call);
      std::vector<float> data(call % 2 == 0 ? 3 : 200, own);
      // An inproc line holds six floats.
      const bool by_messages = call % 3 == 1 && data.size() == 3;
      const Path path = by_messages ? Path::kOneShot : Path::kBulletins;
      ASSERT_TRUE(rank.all_reduce(data, ReduceOp::kMax, path).ok());
      const float greatest = own + static_cast<float>(ranks_.size() - 1 - i);
      ASSERT_THAT(data, testing::Each(greatest)) << "call " << call;
      if (call % 5 == 0) {
        ASSERT_TRUE(rank.barrier().ok());
      }
      if ((call + static_cast<int>(i)) % 97 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
  });
}

TEST_P(OneShot, BarrierByBulletins_LetsNobodyOutBeforeTheLastIsIn) {
  std::atomic<int> entered{0};
  each([&](Rank& rank, std::size_t i) {
    for (int round = 1; round <= 20; ++round) {
      if (i == static_cast<std::size_t>(round) % ranks_.size())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++entered;
      ASSERT_TRUE(rank.barrier().ok());
      ASSERT_GE(entered.load(), round * static_cast<int>(ranks_.size()));
      ASSERT_TRUE(rank.barrier().ok());
    }
  });
}

TEST_P(OneShot, PartsOfBulletins_EndWhereTheyBelong) {
  const std::size_t world = ranks_.size();
  const auto value = [](std::size_t rank, std::size_t i, int call) {
    return static_cast<float>(rank) + 0.125F * static_cast<float>(i) +
           100.5F * static_cast<float>(call);
  };
  each([&](Rank& rank, std::size_t own) {
    for (int call = 0; call < 60; ++call) {
      const std::size_t part = call % 3 == 0 ? 1 : 51;
      std::vector<float> data(part * world);
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = value(own, i, call);
      std::vector<float> gathered(part * world, -1);
      const std::size_t first = call % 2 == 0 ? own * part : part;  // all-to-all's, or all alike
      std::vector<Contributions::Part> parts;
      for (std::size_t from = 0; from < world; ++from)
        parts.push_back({static_cast<int>(from), first * sizeof(float), part * sizeof(float)});
      ASSERT_TRUE(rank.gather(data, parts, gathered).ok());
      for (std::size_t from = 0; from < world; ++from)
        for (std::size_t i = 0; i < part; ++i)
          ASSERT_EQ(gathered[from * part + i], value(from, first + i, call)) << from << " " << i;
    }
  });
}

/// A rank that has been waited for in vain, or hasn't, is looked at in another place of the order.
TEST_P(OneShot, OnSharedCores_EveryPeersPartIsItsOwn_InWhateverOrder) {
  const std::size_t world = ranks_.size();
  std::vector<std::size_t> bytes(world);
  for (std::size_t rank = 0; rank < world; ++rank) bytes[rank] = (3 + 2 * rank) * sizeof(float);
  const auto value = [](std::size_t rank, std::size_t i, int call) {
    return static_cast<float>(rank) + 0.125F * static_cast<float>(i) +
           100.5F * static_cast<float>(call);
  };
  std::vector<Status> last(world);
  each([&](Rank& rank, std::size_t own) {
    const auto gatherer = rank.gatherer_on_shared_core(bytes);
    std::vector<float> data(bytes[own] / sizeof(float));
    std::vector<float> gathered(world * (world + 2));
    for (int call = 0; call < 3000; ++call) {
      // One of them is late for a while, and then the next.
      if (call / 500 % static_cast<int>(world) == static_cast<int>(own) && call % 50 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = value(own, i, call);
      ASSERT_TRUE(rank.run(*gatherer, data, gathered).ok());
      auto got = gathered.begin();
      for (std::size_t from = 0; from < world; ++from)
        for (std::size_t i = 0; i < bytes[from] / sizeof(float); ++i)
          ASSERT_EQ(*got++, value(from, i, call)) << from << " " << i;
    }
    if (own + 1 != world) last[own] = rank.run(*gatherer, data, gathered, 2000);
  });
  for (std::size_t rank = 0; rank + 1 < world; ++rank) {
    EXPECT_EQ(last[rank].code(), ErrorCode::kTimeout) << last[rank].to_string();
    EXPECT_EQ(last[rank].culprit(), static_cast<int>(world) - 1) << last[rank].to_string();
  }
}

/// Ranks that take nothing of each other run ahead, each as far as the next bulletin lets it.
TEST_P(OneShot, BulletinsOfTheRootAlone_AreReadBeforeTheyAreReplaced) {
  const std::size_t world = ranks_.size();
  const auto value = [](int call, std::size_t i) {
    return 0.75F * static_cast<float>(call) + static_cast<float>(i);
  };
  each([&](Rank& rank, std::size_t own) {
    for (int call = 0; call < 300; ++call) {
      const std::size_t root = static_cast<std::size_t>(call / 7) % world;
      const std::size_t count = call % 3 == 0 ? 2 : 200;
      std::vector<float> data(count, -1), got(count, -2);
      if (own == root)
        for (std::size_t i = 0; i < count; ++i) data[i] = value(call, i);
      if (own + 1 == world && call % 50 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::vector<std::size_t> bytes(world, 0);
      bytes[root] = count * sizeof(float);
      ASSERT_TRUE(rank.gather(data, {{static_cast<int>(root), 0, bytes[root]}}, got, bytes).ok());
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(got[i], value(call, i)) << call;
    }
  });
}

/// Nobody waited for it; the next call says so.
TEST_P(OneShot, SkippedBulletinOfAnotherCall_IsAMismatchInTheNext) {
  std::vector<Status> results(ranks_.size());
  each([&](Rank& rank, std::size_t own) {
    std::vector<float> data(own == 1 ? 3 : 2, 0.5F), got(8);
    std::vector<std::size_t> bytes(ranks_.size(), data.size() * sizeof(float));
    const Status first = rank.gather(data, {}, got, bytes);
    EXPECT_TRUE(first.ok()) << first.to_string();
    results[own] = rank.barrier();
  });
  EXPECT_EQ(results[0].code(), ErrorCode::kMismatch) << results[0].to_string();
  EXPECT_EQ(results[0].culprit(), 1);
}

TEST_P(OneShot, BulletinOfAnotherCount_IsAMismatch) {
  const Status status = where_others_give_more(Path::kBulletins);
  EXPECT_EQ(status.code(), ErrorCode::kMismatch) << status.to_string();
}

TEST_P(OneShot, MoreThanABulletinHolds_IsRefused) {
  EXPECT_TRUE(ranks_[0].suits_bulletins(1024));
  EXPECT_FALSE(ranks_[0].suits_bulletins(1025));
}

INSTANTIATE_TEST_SUITE_P(Worlds, OneShot,
                         testing::Combine(testing::Values(TransportKind::kInproc,
                                                          TransportKind::kShm),
                                          testing::Values(2, 3, 5)));

}  // namespace
}  // namespace rondo::execute
