// What collectives cost that were made before: no allocation and no lock, whether they block or
// are started.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/steady_cost.h"

namespace rondo::testing {
namespace {

/// Everything that all ranks call in one round.
class Round {
 public:
  explicit Round(Communicator& rank)
      : rank_(rank),
        big_(300'000, 0.5F),
        small_(2, 1.5F),
        all_(64),
        part_(64),
        registered_(big_.size() * sizeof(float)),
        counts_(ranks(), 2),
        new_counts_(ranks()),
        same_(rank.split(0)),
        prepared_(rank.prepare(Call::all_reduce(registered()))),
        uneven_(Call::all_to_all_v({all_.data(), 2 * ranks()}, counts_, {part_.data(), 2 * ranks()},
                                   counts_)) {
    works_.reserve(8);
    std::fill_n(static_cast<float*>(registered_.data()), big_.size(), 0.25F);
  }

  void blocking() {
    rank_.all_reduce({small_.data(), small_.size()});
    rank_.all_reduce({big_.data(), big_.size()}, ReduceOp::kMax);
    rank_.all_gather({part_.data(), 1}, {all_.data(), ranks()});
    rank_.reduce_scatter({all_.data(), ranks()}, {part_.data(), 1});
    rank_.broadcast({all_.data(), all_.size()}, 0);
    rank_.all_to_all({all_.data(), ranks()}, {part_.data(), ranks()});
    rank_.barrier();
  }
  void registered_and_values() {
    rank_.all_reduce(registered(), ReduceOp::kMax);
    rank_.all_reduce({small_.data(), small_.size()}, ReduceOp::kAvg);
    prepared_.run();
    rank_.run(uneven_);
    rank_.run(Call::all_reduce(registered()).within(30'000));
  }
  void rooted_and_uneven() {
    const std::size_t whole = 2 * ranks();
    rank_.reduce({part_.data(), 8}, {all_.data(), 8}, 1, ReduceOp::kMin);
    rank_.gather({part_.data(), 2}, {all_.data(), whole}, 0);
    rank_.scatter({all_.data(), whole}, {part_.data(), 2}, 2);
    rank_.gather_v({part_.data(), 2}, {all_.data(), whole}, counts_, 1);
    rank_.scatter_v({all_.data(), whole}, {part_.data(), 2}, counts_, 0);
    rank_.all_gather_v({part_.data(), 2}, {all_.data(), whole}, counts_);
    rank_.reduce_scatter_v({all_.data(), whole}, {part_.data(), 2}, counts_, ReduceOp::kMax);
    rank_.all_to_all_v({all_.data(), whole}, counts_, {part_.data(), whole}, counts_);
  }
  /// Of more of them than plans are kept for, all made in one way: messages that fit a cache line
  /// go another one between places of a process.
  void of_new_counts() {
    const std::size_t count = 9 + ++turn_ % 12;
    new_counts_.assign(ranks(), count);
    const std::size_t whole = count * ranks();
    rank_.all_to_all_v({all_.data(), whole}, new_counts_, {part_.data(), whole}, new_counts_);
  }
  void started() {
    works_.push_back(rank_.start(Call::all_reduce({small_.data(), small_.size()})));
    works_.push_back(rank_.start(Call::all_reduce({big_.data(), big_.size()}, ReduceOp::kMax)));
    works_.push_back(rank_.start(Call::barrier()));
    works_.push_back(rank_.start(uneven_));
    works_.push_back(prepared_.start());
    for (Work& work : works_) work.wait();
    works_.clear();
  }
  void waited_for_together() {
    // The others look for news until they sleep.
    if (rank_.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    works_.push_back(rank_.start(Call::all_reduce({small_.data(), small_.size()})));
    works_.push_back(same_->start(Call::all_reduce({big_.data(), big_.size()}, ReduceOp::kMax)));
    works_.push_back(rank_.start(Call::barrier()));
    wait_all(works_);
    works_.clear();
  }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(rank_.size()); }
  Buffer registered() { return {static_cast<float*>(registered_.data()), big_.size()}; }

  Communicator& rank_;
  std::vector<float> big_, small_, all_, part_;
  RegisteredMemory registered_;
  std::vector<std::size_t> counts_;
  std::vector<std::size_t> new_counts_;
  std::size_t turn_ = 0;
  std::optional<Communicator> same_;  ///< of the same ranks
  Prepared prepared_;
  Call uneven_;  ///< made once: a call owns its counts
  std::vector<Work> works_;
};

class SteadyState : public ::testing::TestWithParam<std::string> {
 protected:
  static void expect_nothing(void (Round::*calls)()) {
    const Cost cost = cost_of<Round>({.size = 3, .transport = GetParam()},
                                     [calls](Round& round) { (round.*calls)(); });
    EXPECT_EQ(cost.allocations, 0U);
    EXPECT_EQ(cost.locks, 0U);
  }
};

TEST_P(SteadyState, BlockingCalls_AllocateAndLockNothing) { expect_nothing(&Round::blocking); }

TEST_P(SteadyState, CallsOnRegisteredMemoryAndThoseThatAreValues_AllocateAndLockNothing) {
  expect_nothing(&Round::registered_and_values);
}

TEST_P(SteadyState, CallsWithARootOrUnevenParts_AllocateAndLockNothing) {
  expect_nothing(&Round::rooted_and_uneven);
}

TEST_P(SteadyState, CallsOfOtherCountsEachTime_AllocateAndLockNothing) {
  expect_nothing(&Round::of_new_counts);
}

TEST_P(SteadyState, StartedCalls_AllocateAndLockNothing) { expect_nothing(&Round::started); }

TEST_P(SteadyState, CallsOfSeveralCommunicatorsWaitedForTogether_AllocateAndLockNothing) {
  expect_nothing(&Round::waited_for_together);
}

TEST_P(SteadyState, CallsOfMoreCommunicatorsThanThereIsUsuallyRoomFor_AreAllWaitedFor) {
  constexpr int kCommunicators = 40;
  spawn({.size = 2, .transport = GetParam()}, [](Communicator& rank) {
    std::vector<Communicator> same;
    for (int i = 0; i < kCommunicators; ++i) same.push_back(*rank.split(0));
    if (rank.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::vector<double> data;
    std::vector<Work> works;
    for (int i = 0; i < kCommunicators; ++i) data.push_back(0.25 + i + 0.5 * rank.rank());
    for (std::size_t i = 0; i < same.size(); ++i)
      works.push_back(same[i].start(Call::all_reduce({&data[i], 1})));
    wait_all(works);
    for (int i = 0; i < kCommunicators; ++i)
      EXPECT_EQ(data[static_cast<std::size_t>(i)], 1.0 + 2 * i);
  });
}

INSTANTIATE_TEST_SUITE_P(Transports, SteadyState, ::testing::Values("inproc", "shm", "tcp"),
                         [](const auto& parameters) { return parameters.param; });

}  // namespace
}  // namespace rondo::testing
