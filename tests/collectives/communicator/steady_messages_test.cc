// What messages cost whose like were sent before: no allocation and no lock, short or long, asked
// for before they come or kept until they are, blocking or started.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/steady_cost.h"

namespace rondo::testing {
namespace {

/// Floats of each message, whose index is its tag: in a line, in a slot, the largest that goes out
/// at once, the smallest that is announced, several segments, and a short one behind them all.
constexpr std::size_t kCounts[] = {2, 256, 16'384, 16'385, 262'144, 1};
constexpr std::size_t kMessages = std::size(kCounts);
/// Of two that go out at once.
constexpr std::size_t kFirst = 1, kSecond = 2;

/// Different for every rank, message and element.
std::vector<float> content(int rank, std::size_t message) {
  std::vector<float> data(kCounts[message]);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = 0.25F + static_cast<float>(rank) + 8 * static_cast<float>(message) +
              static_cast<float>(i % 1009) / 2048;
  }
  return data;
}

/// What each rank sends to the next of a ring and receives from the one before it, in one round.
class MessageRound {
 public:
  explicit MessageRound(Communicator& rank)
      : rank_(rank),
        next_((rank.rank() + 1) % rank.size()),
        previous_((rank.rank() + rank.size() - 1) % rank.size()) {
    for (std::size_t message = 0; message < kMessages; ++message) {
      sent_.push_back(content(rank.rank(), message));
      expected_.push_back(content(previous_, message));
      received_.emplace_back(kCounts[message]);
    }
    works_.reserve(2 * kMessages);
  }

  void blocking() {
    for (std::size_t message = 0; message < kMessages; ++message) {
      if (is_first()) send(message);
      receive(message);
      if (!is_first()) send(message);
    }
  }
  /// The second is received first.
  void blocking_and_kept() {
    if (is_first()) send_both();
    receive(kSecond);
    receive(kFirst);
    if (!is_first()) send_both();
  }
  /// All have asked before anybody sends.
  void started_and_awaited() {
    for (std::size_t message = 0; message < kMessages; ++message)
      works_.push_back(rank_.start(Call::receive(into(message), previous_, tag_of(message))));
    rank_.barrier();
    start_sends();
    finish();
    for (std::size_t message = 0; message < kMessages; ++message) check(message);
  }
  /// What is sent last is received first: the others have come before it.
  void started_and_kept() {
    start_sends();
    for (std::size_t message = kMessages; message-- > 0;) receive(message);
    finish();
  }
  /// Either side first.
  void to_itself() {
    const int self = rank_.rank();
    works_.push_back(rank_.start(Call::send(from(kFirst), self, 1)));
    works_.push_back(rank_.start(Call::receive(into(kSecond), self, 2)));
    rank_.receive(into(kFirst), self, 1);
    rank_.send(from(kSecond), self, 2);
    finish();
    EXPECT_TRUE(received_[kFirst] == sent_[kFirst]);
    EXPECT_TRUE(received_[kSecond] == sent_[kSecond]);
  }

 private:
  static int tag_of(std::size_t message) { return static_cast<int>(message); }
  bool is_first() const { return rank_.rank() == 0; }
  ConstBuffer from(std::size_t message) const { return {sent_[message].data(), kCounts[message]}; }
  Buffer into(std::size_t message) { return {received_[message].data(), kCounts[message]}; }

  void send(std::size_t message) { rank_.send(from(message), next_, tag_of(message)); }
  void send_both() {
    send(kFirst);
    send(kSecond);
  }
  void receive(std::size_t message) {
    rank_.receive(into(message), previous_, tag_of(message));
    check(message);
  }
  void start_sends() {
    for (std::size_t message = 0; message < kMessages; ++message)
      works_.push_back(rank_.start(Call::send(from(message), next_, tag_of(message))));
  }
  void finish() {
    for (Work& work : works_) work.wait();
    works_.clear();
  }
  /// The next round's is to be another one.
  void check(std::size_t message) {
    EXPECT_TRUE(received_[message] == expected_[message]) << "message " << message;
    std::ranges::fill(received_[message], 0.0F);
  }

  Communicator& rank_;
  int next_;
  int previous_;
  std::vector<std::vector<float>> sent_, expected_, received_;
  std::vector<Work> works_;
};

class SteadyMessages : public ::testing::TestWithParam<std::string> {
 protected:
  static void expect_nothing(void (MessageRound::*round)()) {
    const Cost cost =
        cost_of<MessageRound>({.size = 3, .transport = GetParam()},
                              [round](MessageRound& messages) { (messages.*round)(); });
    EXPECT_EQ(cost.allocations, 0U);
    EXPECT_EQ(cost.locks, 0U);
  }
};

TEST_P(SteadyMessages, BlockingOnes_AllocateAndLockNothing) {
  expect_nothing(&MessageRound::blocking);
}

TEST_P(SteadyMessages, BlockingOnesThatAreKept_AllocateAndLockNothing) {
  expect_nothing(&MessageRound::blocking_and_kept);
}

TEST_P(SteadyMessages, StartedOnesThatAreAwaited_AllocateAndLockNothing) {
  expect_nothing(&MessageRound::started_and_awaited);
}

TEST_P(SteadyMessages, StartedOnesThatAreKept_AllocateAndLockNothing) {
  expect_nothing(&MessageRound::started_and_kept);
}

TEST_P(SteadyMessages, OnesToTheRankItself_AllocateAndLockNothing) {
  expect_nothing(&MessageRound::to_itself);
}

INSTANTIATE_TEST_SUITE_P(Transports, SteadyMessages, ::testing::Values("inproc", "shm", "tcp"),
                         [](const auto& parameters) { return parameters.param; });

}  // namespace
}  // namespace rondo::testing
