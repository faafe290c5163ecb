// send and receive: matched by peer and tag, beside the collectives, over every transport.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/ways.h"

namespace rondo::testing {
namespace {

using ::testing::HasSubstr;

/// Different for every pair, tag and element.
std::vector<double> content(int from, int to, int tag, std::size_t count) {
  std::vector<double> data(count);
  for (std::size_t i = 0; i < count; ++i) {
    data[i] = 1000.0 * from + 100.0 * to + tag + static_cast<double>(i % 1000) / 1024;
  }
  return data;
}

class Messages : public InAWay {};

// In elements of 8 bytes: empty, in a line, in a slot, the largest eager one, the smallest that is
// asked for first, several segments.
constexpr std::size_t kCounts[] = {0, 1, 3, 4, 1000, 8192, 8193, 400'001};

TEST_P(Messages, RoundTheRing_OfEverySize_ArriveAsTheyWereSent) {
  spawn(world(3), [](Communicator& rank) {
    const int next = (rank.rank() + 1) % 3, previous = (rank.rank() + 2) % 3;
    for (const std::size_t count : kCounts) {
      const auto sent = content(rank.rank(), next, 7, count);
      std::vector<double> received(count, -1);
      Work send = rank.start(Call::send({sent.data(), count}, next, 7));
      rank.receive({received.data(), count}, previous, 7);
      send.wait();
      EXPECT_EQ(received, content(previous, rank.rank(), 7, count)) << count;
    }
  });
}

TEST_P(Messages, FromEveryoneToEveryone_InOneGo_AllArrive) {
  spawn(world(4), [](Communicator& rank) {
    std::vector<std::vector<double>> sent, received;
    std::vector<Work> works;
    for (int peer = 0; peer < 4; ++peer) {  // this rank itself too
      for (const std::size_t count : {std::size_t{5}, std::size_t{30'000}}) {
        sent.push_back(content(rank.rank(), peer, static_cast<int>(count), count));
        received.emplace_back(count, -1);
        works.push_back(
            rank.start(Call::send({sent.back().data(), count}, peer, static_cast<int>(count))));
        works.push_back(rank.start(
            Call::receive({received.back().data(), count}, peer, static_cast<int>(count))));
      }
    }
    wait_all(works);
    for (int peer = 0; peer < 4; ++peer) {
      const auto first = static_cast<std::size_t>(2 * peer);
      EXPECT_EQ(received[first], content(peer, rank.rank(), 5, 5));
      EXPECT_EQ(received[first + 1], content(peer, rank.rank(), 30'000, 30'000));
    }
  });
}

TEST_P(Messages, ReceivedInAnotherOrder_AreMatchedByTheirTags) {
  spawn(world(2), [](Communicator& rank) {
    const std::size_t counts[] = {3, 9000, 100, 20'000, 8000};
    if (rank.rank() == 0) {
      std::vector<std::vector<double>> sent;
      std::vector<Work> works;
      for (int tag = 0; tag < 5; ++tag) {
        sent.push_back(content(0, 1, tag, counts[tag]));
        works.push_back(rank.start(Call::send({sent.back().data(), counts[tag]}, 1, tag)));
      }
      wait_all(works);
    } else {
      for (int tag = 4; tag >= 0; --tag) {
        std::vector<double> received(counts[tag]);
        rank.receive({received.data(), received.size()}, 0, tag);
        EXPECT_EQ(received, content(0, 1, tag, counts[tag])) << "tag " << tag;
      }
    }
  });
}

TEST_P(Messages, OfOneTag_KeepTheirOrder) {
  spawn(world(2), [](Communicator& rank) {
    for (int i = 0; i < 300; ++i) {
      double value = i;
      if (rank.rank() == 0) {
        rank.send({&value, 1}, 1);
      } else {
        value = -1;
        rank.receive({&value, 1}, 0);
        ASSERT_EQ(value, i);
      }
    }
  });
}

// Whatever one rank has started, and the other hasn't, doesn't stand in the way of a message.
TEST_P(Messages, BetweenStartedCollectives_GetThrough) {
  spawn(world(2), [](Communicator& rank) {
    std::vector<double> data(200'000, rank.rank() + 0.5), message = content(0, 1, 1, 20'000);
    std::vector<double> small(3, rank.rank() + 0.25);
    if (rank.rank() == 0) {
      Work big = rank.start(Call::all_reduce({data.data(), data.size()}));
      Work next = rank.start(Call::all_reduce({small.data(), small.size()}));
      rank.send({message.data(), 100}, 1, 2);
      rank.send({message.data(), message.size()}, 1, 1);
      big.wait();
      next.wait();
    } else {
      std::vector<double> received(20'000), first(100);
      rank.receive({received.data(), received.size()}, 0, 1);
      rank.receive({first.data(), first.size()}, 0, 2);
      EXPECT_EQ(received, message);
      EXPECT_EQ(first, content(0, 1, 1, 100));
      rank.all_reduce({data.data(), data.size()});
      rank.all_reduce({small.data(), small.size()});
    }
    EXPECT_THAT(data, ::testing::Each(2.0));
    EXPECT_THAT(small, ::testing::Each(1.5));
  });
}

TEST_P(Messages, MoreThanAreKept_WaitForTheirReceiver) {
  constexpr int kMany = 4000;
  std::atomic<bool> has_looked = false;
  spawn(world(2), [&](Communicator& rank) {
    std::vector<std::vector<double>> data;
    double last = 0;
    if (rank.rank() == 0) {
      std::vector<Work> works;
      for (int i = 0; i < kMany; ++i) {
        data.push_back(content(0, 1, i, 300));
        works.push_back(rank.start(Call::send({data.back().data(), 300}, 1, i)));
      }
      EXPECT_FALSE(works.back().wait_for(std::chrono::milliseconds(200)));
      has_looked = true;
      wait_all(works);
    } else {
      // Moves messages on without asking for any of those.
      Work at_last = rank.start(Call::receive({&last, 1}, 0, -1));
      while (!has_looked) static_cast<void>(at_last.wait_for(std::chrono::milliseconds(1)));
      for (int i = 0; i < kMany; ++i) {
        std::vector<double> received(300);
        rank.receive({received.data(), 300}, 0, i);
        EXPECT_EQ(received, content(0, 1, i, 300)) << i;
      }
      rank.barrier();
      at_last.wait();
      EXPECT_EQ(last, 0.75);
      return;
    }
    rank.barrier();
    last = 0.75;
    rank.send({&last, 1}, 1, -1);
  });
}

TEST_P(Messages, ThatDisagree_AreAMismatchThatSaysHow) {
  auto ranks = make_world(world(2));
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    std::vector<double> data(10, 1);
    if (rank.rank() == 0) {
      rank.send({data.data(), 10}, 1, 3);
      rank.barrier();
    } else {
      rank.receive({data.data(), 9}, 0, 3);
    }
  });
  EXPECT_THAT(errors[1], HasSubstr("Mismatch: rank 0 sent 80 bytes of f64 with tag 3 where rank 1 "
                                   "receives 72 bytes of f64"));
  EXPECT_NE(errors[0], "");
}

TEST_P(Messages, OfARankThatLeft_AreStillReceived_AndThenItIsMissed) {
  auto ranks = make_world(world(2));
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    std::vector<double> data = content(0, 1, 0, 500);
    if (rank.rank() == 0) {
      rank.send({data.data(), 500}, 1);
      rank.send({data.data(), 1}, 1);
      const Communicator left(std::move(rank));
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::vector<double> received(500);
    rank.receive({received.data(), 500}, 0);
    EXPECT_EQ(received, data);
    rank.receive({received.data(), 1}, 0);
    rank.receive({received.data(), 1}, 0);
  });
  EXPECT_EQ(errors[0], "");
  EXPECT_THAT(errors[1], HasSubstr("PeerLost: rank 0"));
}

TEST_P(Messages, ThatNobodySends_TimeOutWithTheirTag) {
  World impatient = world(2);
  impatient.timeout_ms = 200;
  auto ranks = make_world(impatient);
  double value = 0;
  try {
    ranks[1].receive({&value, 1}, 0, 42);
    ADD_FAILURE() << "nobody sends";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kTimeout);
    EXPECT_EQ(error.culprit(), 0);
    EXPECT_THAT(error.what(), HasSubstr("the oldest receive with tag 42 (8 bytes)"));
  }
}

/// The communicator's own limit is 20 s.
TEST_P(Messages, ThatNobodySends_EndByADeadlineOfTheirOwn) {
  for (const bool among_others : {false, true}) {
    auto ranks = make_world(world(2));
    double value = 0;
    double other = 0;
    float third = 0;
    const auto errors = run_ranks(ranks, [&](Communicator& rank) {
      if (rank.rank() == 0) return;
      std::vector<Work> works;
      if (among_others) {
        works.push_back(rank.start(Call::receive({&other, 1}, 0, 41)));
        works.push_back(rank.start(Call::all_reduce({&third, 1})));
      }
      rank.run(Call::receive({&value, 1}, 0, 42).within(200));
    });
    EXPECT_THAT(errors[1], HasSubstr("Timeout"));
    EXPECT_THAT(errors[1], HasSubstr("rank 0"));
    EXPECT_THAT(errors[1], HasSubstr("200 ms"));
    EXPECT_THAT(errors[1], HasSubstr("the deadline of the receive with tag 42"));
  }
}

TEST_P(Messages, ToItself_EndByADeadlineOfTheirOwn) {
  auto ranks = make_world(world(2));
  double value = 0;
  try {
    ranks[0].run(Call::receive({&value, 1}, 0, 7).within(150));
    ADD_FAILURE() << "nobody sends";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kTimeout);
    EXPECT_THAT(error.what(), HasSubstr("for 150 ms rank 0 has made no call"));
    EXPECT_THAT(error.what(), HasSubstr("the deadline of the receive with tag 7"));
  }
}

TEST_P(Messages, WaitLongerThanADeadlineThatWasMet) {
  spawn(world(2), [](Communicator& rank) {
    double first = rank.rank() + 0.5;
    double second = rank.rank() + 0.25;
    if (rank.rank() == 0) {
      rank.send({&first, 1}, 1, 1);
      rank.barrier();
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      rank.send({&second, 1}, 1, 2);
      return;
    }
    rank.barrier();  // what is to be met has been sent
    Work met = rank.start(Call::receive({&first, 1}, 0, 1).within(200));
    Work later = rank.start(Call::receive({&second, 1}, 0, 2));
    met.wait();
    later.wait();
    EXPECT_EQ(first, 0.5);
    EXPECT_EQ(second, 0.25);
  });
}

/// What a collective has waited before is not theirs, however many calls that waited for nothing
/// have come since.
TEST_P(Messages, HaveDeadlinesThatBeginWithThem) {
  constexpr auto kBetween = std::chrono::milliseconds(800);
  for (const int calls_between : {0, 20}) {
    spawn(world(2), [&](Communicator& rank) {
      float value = 0.5F;
      for (int call = 0; call < 20; ++call) rank.all_reduce({&value, 1});
      if (rank.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(30));
      for (int call = 0; call <= calls_between; ++call) rank.all_reduce({&value, 1});
      std::this_thread::sleep_for(kBetween);
      double message = rank.rank() + 0.75;
      if (rank.rank() == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        rank.send({&message, 1}, 0);
        return;
      }
      rank.run(Call::receive({&message, 1}, 1).within(700));
      EXPECT_EQ(message, 1.75);
    });
  }
}

void wait_until(const std::atomic<bool>& flag) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!flag && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
}

/// Who makes no calls for a while keeps nobody from giving up, though a message is outstanding and
/// a collective that the peer of the message has nothing to do with.
TEST(MessagesBesideACollective, KeepNoPeerFromGivingUp) {
  auto ranks =
      make_world({.size = 3, .transport = "inproc", .algorithm = "linear", .progress = "caller"});
  std::atomic<bool> is_under_way = false;
  std::atomic<bool> has_given_up = false;
  bool was_in_time = false;
  run_ranks(ranks, [&](Communicator& rank) {
    std::vector<float> data(50'000, 0.5F);
    double value = 0;
    if (rank.rank() == 1) rank.receive({&value, 1}, 2);
    if (rank.rank() == 2) rank.send({&value, 1}, 1);
    if (rank.rank() == 1) {
      Work collective = rank.start(Call::broadcast({data.data(), data.size()}, 0));
      Work message = rank.start(Call::receive({&value, 1}, 2));
      for (int i = 0; i < 3; ++i) message.test();
      is_under_way = true;
      wait_until(has_given_up);
      was_in_time = has_given_up;
    } else if (rank.rank() == 2) {
      wait_until(is_under_way);
      rank.abort(Error(ErrorCode::kCancelled, "enough"));
      has_given_up = true;
    } else {
      wait_until(has_given_up);
    }
  });
  EXPECT_TRUE(was_in_time);
}

TEST_P(Messages, ToNobody_AreRefused) {
  spawn(world(2), [](Communicator& rank) {
    double value = 0;
    EXPECT_THROW(rank.send({&value, 1}, 2), Error);
    EXPECT_THROW(rank.receive({&value, 1}, -1), Error);
    EXPECT_THROW(rank.send({static_cast<double*>(nullptr), 1}, 0), Error);
    rank.barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Worlds, Messages, every_way(), name_of_way);

}  // namespace
}  // namespace rondo::testing
