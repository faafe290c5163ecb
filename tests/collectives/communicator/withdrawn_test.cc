// A message of which nothing is under way ends alone when it is cancelled, or its deadline passes:
// the world goes on. What a peer knows of gives the communicator up.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/ways.h"

namespace rondo::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kTag = 9;
constexpr char kCanBeUsed[] = "the communicator can still be used";
/// In doubles: the largest that goes whole, and one that is asked for first.
constexpr std::size_t kWhole = 8192;
constexpr std::size_t kLong = 400'001;

class Withdrawn : public InAWay {
 protected:
  /// Nobody moves a rank's messages on while it makes no calls.
  World left_alone() const {
    World world = this->world(2);
    world.progress = "caller";
    return world;
  }
};

void expect_sum(Communicator& rank) {
  float sum = 1.F + static_cast<float>(rank.rank());
  rank.all_reduce({&sum, 1});
  EXPECT_EQ(sum, static_cast<float>(rank.size() * (rank.size() + 1)) / 2);
}

/// Two messages from rank 1, as if nothing had been received before.
void expect_next_messages(Communicator& rank) {
  double values[2] = {1.25, 2.5};
  if (rank.rank() == 1)
    for (double& value : values) rank.send({&value, 1}, 0, kTag);
  if (rank.rank() != 0) return;
  double received[2] = {};
  for (double& value : received) rank.receive({&value, 1}, 1, kTag);
  EXPECT_THAT(received, ::testing::ElementsAre(1.25, 2.5));
}

TEST_P(Withdrawn, CancelledReceive_EndsAlone_AndTheNextOneGetsItsMessage) {
  spawn(world(3), [](Communicator& rank) {
    double nothing = -1;
    int told = 0;
    for (int round = 0; round < 3; ++round) {
      if (rank.rank() == 0) {
        Work work = rank.start(Call::receive({&nothing, 1}, 1, kTag));
        Work other = rank.start(Call::receive({&nothing, 1}, 2, kTag));
        work.then([&told](const Error* error) {
          ++told;
          ASSERT_NE(error, nullptr);
          EXPECT_EQ(error->code(), ErrorCode::kCancelled);
          EXPECT_EQ(error->culprit(), 0);
        });
        work.cancel();
        work.cancel();
        EXPECT_EQ(told, round + 1);
        EXPECT_THAT(end_of(work),
                    AllOf(HasSubstr("rank 0 cancelled a call"), HasSubstr(kCanBeUsed)));
        EXPECT_FALSE(other.test());
        other.cancel();
      }
      expect_sum(rank);
      expect_next_messages(rank);
      EXPECT_EQ(nothing, -1);
    }
  });
}

void expect_timeout(Communicator& rank, const Call& call, bool is_started) {
  try {
    if (is_started) {
      rank.start(call).wait();
    } else {
      rank.run(call);
    }
    ADD_FAILURE() << "nobody sends";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kTimeout);
    EXPECT_EQ(error.culprit(), 1);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("the deadline of the receive with tag 9"), HasSubstr(kCanBeUsed)));
  }
}

TEST_P(Withdrawn, ReceiveWhoseDeadlineHasPassed_EndsAlone) {
  for (const bool is_started : {false, true}) {
    spawn(world(3), [is_started](Communicator& rank) {
      double nothing = -1;
      const Call call = Call::receive({&nothing, 1}, 1, kTag).within(50);
      if (rank.rank() == 0) expect_timeout(rank, call, is_started);
      expect_sum(rank);
      expect_next_messages(rank);
      EXPECT_EQ(nothing, -1);
    });
  }
}

/// Others of the same rank are neither ended nor put off.
TEST_P(Withdrawn, ReceivesWhoseDeadlinesPass_BesideOthers_EndOneByOne) {
  spawn(world(2), [](Communicator& rank) {
    double late = rank.rank() + 0.5;
    double nothing = -1;
    if (rank.rank() == 1) {
      std::this_thread::sleep_for(milliseconds(300));
      rank.send({&late, 1}, 0, kTag);
      return expect_sum(rank);
    }
    Work last = rank.start(Call::receive({&late, 1}, 1, kTag));
    std::vector<Work> works;
    for (const int tag : {1, 2, 2})
      works.push_back(rank.start(Call::receive({&nothing, 1}, 1, tag).within(20 * tag)));
    std::atomic<int> told = 0;
    for (Work& work : works)
      work.then([&told](const Error* error) { told += error == nullptr ? 9 : 1; });
    EXPECT_THROW(wait_all(works), Error);
    for (Work& work : works) EXPECT_THAT(end_of(work), HasSubstr(kCanBeUsed));
    EXPECT_EQ(told, 3);
    EXPECT_EQ(end_of(last), "");
    EXPECT_EQ(late, 1.5);
    expect_sum(rank);
  });
}

TEST_P(Withdrawn, MessagesToItself_EndAlone) {
  spawn(world(2), [](Communicator& rank) {
    std::vector<double> sent(kLong, 0.5), received(kLong, -1);
    const Buffer to{received.data(), kLong};
    Work receive = rank.start(Call::receive(to, rank.rank(), kTag));
    receive.cancel();
    EXPECT_THAT(end_of(receive), HasSubstr(kCanBeUsed));
    Work send = rank.start(Call::send({sent.data(), kLong}, rank.rank(), kTag).within(40));
    EXPECT_THAT(end_of(send), HasSubstr(kCanBeUsed));
    EXPECT_EQ(received.back(), -1);
    std::vector<double> next(kLong, 0.75);
    Work second = rank.start(Call::send({next.data(), kLong}, rank.rank(), kTag));
    rank.receive(to, rank.rank(), kTag);
    EXPECT_EQ(received, next);
    second.wait();
    expect_sum(rank);
  });
}

/// More than what lies between two ranks holds: the last of them have not gone out.
TEST_P(Withdrawn, SendsThatHaveNotGoneOut_EndAlone_AndThoseBehindThemArrive) {
  constexpr int kMany = 600;
  std::atomic<bool> may_receive = false;
  spawn(world(2), [&may_receive](Communicator& rank) {
    std::vector<double> bulk(kWhole, 0.5);
    const auto content = [](int number, std::size_t count) {
      return std::vector<double>(count, number + 0.25);
    };
    if (rank.rank() == 1) {
      wait_until([&] { return may_receive.load(); });
      for (int i = 0; i < kMany; ++i) rank.receive({bulk.data(), bulk.size()}, 0, 1);
      std::vector<double> whole(kWhole), asked_for(kLong);
      rank.receive({asked_for.data(), kLong}, 0, kTag);
      EXPECT_EQ(asked_for, content(2, kLong));
      rank.receive({whole.data(), kWhole}, 0, kTag);
      EXPECT_EQ(whole, content(4, kWhole));
      rank.receive({asked_for.data(), kLong}, 0, kTag);
      EXPECT_EQ(asked_for, content(6, kLong));
      return expect_sum(rank);
    }
    std::vector<Work> first, works;
    std::vector<std::vector<double>> data;
    for (int i = 0; i < kMany; ++i)
      first.push_back(rank.start(Call::send({bulk.data(), bulk.size()}, 1, 1)));
    for (const int number : {0, 1, 2, 3, 4, 5, 6}) {
      data.push_back(content(number, number == 0 || number == 4 ? kWhole : kLong));
      works.push_back(rank.start(Call::send({data.back().data(), data.back().size()}, 1, kTag)));
    }
    for (const std::size_t number : {1U, 0U, 5U, 3U}) {
      works[number].cancel();
      EXPECT_THAT(end_of(works[number]), HasSubstr(kCanBeUsed)) << number;
    }
    may_receive = true;
    wait_all(first);
    for (const std::size_t number : {2U, 4U, 6U}) EXPECT_EQ(end_of(works[number]), "") << number;
    expect_sum(rank);
  });
}

/// Rank 1 has announced it and does nothing more, rank 0 has answered.
TEST_P(Withdrawn, ReceiveWhoseMessageIsUnderWay_GivesTheWorldUp) {
  for (const bool is_cancelled : {true, false}) {
    auto ranks = make_world(left_alone());
    std::atomic<bool> has_sent = false, has_ended = false;
    const auto errors = run_ranks(ranks, [&](Communicator& rank) {
      std::vector<double> data(kLong, 0.5);
      const Buffer buffer(data.data(), kLong);
      if (rank.rank() == 1) {
        Work sent = rank.start(Call::send(buffer, 0, kTag));
        has_sent = true;
        wait_until([&] { return has_ended.load(); });
        return sent.wait();
      }
      wait_until([&] { return has_sent.load(); });
      const Call call = Call::receive(buffer, 1, kTag);
      Work work = rank.start(is_cancelled ? call : call.within(300));
      for (int look = 0; look < 50 && is_cancelled; ++look) {
        EXPECT_FALSE(work.test());
        std::this_thread::sleep_for(milliseconds(1));
      }
      if (is_cancelled) work.cancel();
      const std::string error = end_of(work);
      has_ended = true;
      EXPECT_THAT(error, Not(HasSubstr(kCanBeUsed)));
      rank.barrier();
    });
    EXPECT_THAT(errors, Each(HasSubstr(is_cancelled ? "rank 0 cancelled a call" : "300 ms")));
  }
}

TEST_P(Withdrawn, SendThatThePeerHasBeenToldOf_GivesTheWorldUp) {
  auto ranks = make_world(left_alone());
  std::atomic<bool> has_ended = false;
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    std::vector<double> data(kLong, 0.5);
    if (rank.rank() == 1) {
      wait_until([&] { return has_ended.load(); });
      return rank.barrier();
    }
    Work work = rank.start(Call::send({data.data(), kLong}, 1, kTag));
    work.cancel();
    has_ended = true;
    EXPECT_THAT(end_of(work), Not(HasSubstr(kCanBeUsed)));
    rank.barrier();
  });
  EXPECT_THAT(errors, Each(HasSubstr("rank 0 cancelled a call")));
}

INSTANTIATE_TEST_SUITE_P(Worlds, Withdrawn, every_way(), name_of_way);

}  // namespace
}  // namespace rondo::testing
