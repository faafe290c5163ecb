#include "tests/collectives/communicator/random_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/collectives/communicator/random_call.h"
#include "tests/collectives/communicator/random_messages.h"

namespace rondo::testing {
namespace {

constexpr std::size_t kMostOutstanding = 40;

/// What one rank does in the steps of a program.
class Actor {
 public:
  Actor(Communicator& world, const RandomProgram& program) : world_(world), program_(program) {
    if (program_.split) half_ = world.split(world.rank() % 2, -world.rank());
  }

  std::uint64_t run() {
    for (int step = 0; step < program_.steps && !::testing::Test::HasFatalFailure(); ++step) {
      number_ = static_cast<std::uint64_t>(step);
      own_ = Draws(program_.seed, number_, static_cast<std::uint64_t>(world_.rank()) + 1);
      be_late();
      make_step();
      wait_as_it_likes();
    }
    wait_for_all();
    return digest_;
  }

 private:
  /// Something under way, and what is looked at once it has ended.
  struct Outstanding {
    std::string what;
    std::vector<Work> works;
    std::shared_ptr<RandomCall> call;
    std::shared_ptr<RandomMessages> messages;
    bool is_of_all = false;  ///< of the world, so that all ranks have the same digest
  };

  void be_late() {
    if (own_.once_in(6)) std::this_thread::sleep_for(std::chrono::microseconds(own_.below(300)));
    if (own_.once_in(30)) std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }

  void make_step() {
    Draws every(program_.seed ^ 0x5EED, number_, kEveryRank);
    if (program_.messages && every.once_in(6)) return make_messages();
    const bool in_half = half_.has_value() && every.once_in(4);
    Communicator& ranks = in_half ? *half_ : world_;
    const Step step = draw_step(program_.seed, number_, ranks.size());
    Outstanding next{
        "step " + std::to_string(number_) + ": " + to_string(step), {}, {}, {}, !in_half};
    next.call = make_call(ranks, step);
    switch (step.way) {
      case Step::Way::kBlocking:
        next.call->fill(0);
        ranks.run(next.call->call());
        return look_at(next);
      case Step::Way::kStarted:
        next.call->fill(0);
        next.works.push_back(ranks.start(next.call->call()));
        outstanding_.push_back(std::move(next));
        return;
      case Step::Way::kPrepared: return run_again_and_again(ranks, next, 1 + every.below(4));
    }
  }

  void run_again_and_again(Communicator& ranks, const Outstanding& next, std::size_t rounds) {
    Prepared prepared = ranks.prepare(next.call->call());
    for (std::size_t round = 0; round < rounds; ++round) {
      next.call->fill(round);
      if (own_.once_in(2)) {
        prepared.run();
      } else {
        prepared.start().wait();
      }
      look_at(next);
    }
  }

  void make_messages() {
    Outstanding next{"step " + std::to_string(number_) + ": messages", {}, {}, {}, false};
    next.messages = std::make_shared<RandomMessages>(world_, program_.seed, number_);
    next.messages->make(world_, next.works);
    outstanding_.push_back(std::move(next));
  }

  void wait_as_it_likes() {
    if (own_.once_in(4) && !outstanding_.empty()) {
      // Whichever: calls end in their order, their waits don't come in it.
      std::swap(outstanding_[own_.below(outstanding_.size())], outstanding_.back());
      for (Work& work : outstanding_.back().works) {
        while (own_.once_in(3) && !work.test()) std::this_thread::yield();
        work.wait();
      }
      look_at(outstanding_.back());
      outstanding_.pop_back();
    }
    if (own_.once_in(8) || outstanding_.size() > kMostOutstanding) wait_for_all();
  }

  void wait_for_all() {
    std::vector<Work> works;
    for (Outstanding& each : outstanding_) {
      for (Work& work : each.works) works.push_back(std::move(work));
    }
    if (own_.once_in(2)) std::reverse(works.begin(), works.end());
    wait_all(works);
    for (const Outstanding& each : outstanding_) look_at(each);
    outstanding_.clear();
  }

  void look_at(const Outstanding& ended) {
    const std::string mistake =
        ended.call != nullptr ? ended.call->mistake() : ended.messages->mistake();
    EXPECT_EQ(mistake, "") << "rank " << world_.rank() << " of " << world_.size() << ", "
                           << ended.what;
    if (ended.is_of_all) digest_ ^= ended.call->digest();
  }

  Communicator& world_;
  RandomProgram program_;
  std::optional<Communicator> half_;
  std::uint64_t number_ = 0;
  Draws own_{0, 0, 0};
  std::vector<Outstanding> outstanding_;
  std::uint64_t digest_ = 0;
};

}  // namespace

std::uint64_t run_program(Communicator& world, const RandomProgram& program) {
  return Actor(world, program).run();
}

}  // namespace rondo::testing
