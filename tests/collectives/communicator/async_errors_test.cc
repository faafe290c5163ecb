// Started calls that can't end well: each Work ends, with the reason and the culprit, and so do the
// calls behind it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/collectives/communicator/spawn.h"
#include "tests/collectives/communicator/ways.h"

namespace rondo::testing {
namespace {

using ::testing::HasSubstr;

std::optional<Error> error_of(Work& work) {
  try {
    work.wait();
    return {};
  } catch (const Error& error) {
    return error;
  }
}

class AsyncErrors : public InAWay {};

TEST_P(AsyncErrors, Cancel_FailsEveryRankAndEveryCallBehind) {
  std::atomic<bool> is_cancelled = false;
  auto ranks = make_world(world(3));
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    std::vector<float> data(1000, 1.25F);
    Work before = rank.start(Call::barrier());
    before.wait();
    // Rank 0 keeps the call from ending before it is given up.
    while (rank.rank() == 0 && !is_cancelled) std::this_thread::yield();
    Work first = rank.start(Call::all_reduce({data.data(), data.size()}));
    Work second = rank.start(Call::barrier());
    if (rank.rank() == 2) {
      first.cancel();
      first.cancel();
      before.cancel();
      is_cancelled = true;
      EXPECT_TRUE(first.test());
      EXPECT_TRUE(second.test());
    }
    // What rank 2 had sent by then may have been enough for the others' first call.
    EXPECT_TRUE(error_of(first).has_value() || rank.rank() != 2);
    before.wait();
    second.wait();
  });
  EXPECT_THAT(errors, ::testing::Each(HasSubstr("Cancelled: ")));
  EXPECT_THAT(errors, ::testing::Each(HasSubstr("rank 2 cancelled a call that it had started")));
  EXPECT_THAT(errors[2], HasSubstr("this communicator can't be used any more"));
}

TEST_P(AsyncErrors, DestroyedWithCallsOutstanding_SaysSoToItsPeersAndItsWorks) {
  auto ranks = make_world(world(2));
  std::optional<Communicator> leaving(std::move(ranks[0]));
  std::vector<float> mine(100, 1.F), theirs(100, 2.F);
  Work orphan = leaving->start(Call::all_reduce({mine.data(), mine.size()}));
  leaving.reset();
  EXPECT_TRUE(orphan.test());
  const auto own = error_of(orphan);
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->code(), ErrorCode::kCancelled);
  EXPECT_THAT(own->what(), HasSubstr("destroyed its communicator with 1 started calls"));
  try {
    ranks[1].barrier();
    ADD_FAILURE() << "the peer has left";
  } catch (const Error& error) {
    EXPECT_EQ(error.culprit(), 0) << error.what();
  }
}

TEST_P(AsyncErrors, APeerThatLeavesBetweenTwoOfAThousand_EndsTheRestWithItsName) {
  static constexpr std::size_t kLast = 400;
  auto ranks = make_world(world(3));
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    const bool leaves = rank.rank() == 1;
    const std::size_t calls = leaves ? kLast : 1000;
    std::vector<std::vector<float>> data(calls, std::vector<float>(20));
    std::vector<Work> works;
    for (std::size_t call = 0; call < calls; ++call) {
      for (float& x : data[call]) x = static_cast<float>(rank.rank()) + static_cast<float>(call);
      try {
        works.push_back(rank.start(Call::all_reduce({data[call].data(), data[call].size()})));
      } catch (const Error& error) {  // it is known already
        EXPECT_EQ(error.culprit(), 1) << error.what();
        break;
      }
    }
    if (leaves) {
      wait_all(works);
      const Communicator left(std::move(rank));
      return;
    }
    // A rank that is behind hears of it from the other one, perhaps before it is through.
    ASSERT_GE(works.size(), kLast - 50);
    bool has_failed = false;
    for (std::size_t call = 0; call < works.size(); ++call) {
      const auto error = error_of(works[call]);
      has_failed |= error.has_value() || call >= kLast;
      ASSERT_EQ(error.has_value(), has_failed) << call;
      if (error.has_value()) {
        EXPECT_EQ(error->culprit(), 1) << error->what();
      } else {
        ASSERT_THAT(data[call], ::testing::Each(3 + 3 * static_cast<float>(call)));
      }
    }
    EXPECT_TRUE(has_failed || works.size() < 1000);
  });
  for (const std::string& error : errors) EXPECT_EQ(error, "");
}

TEST_P(AsyncErrors, Mismatch_NamesBothCalls) {
  auto ranks = make_world(world(2));
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    std::vector<float> data(64, 1.F);
    const std::size_t count = rank.rank() == 0 ? 63 : 64;
    rank.start(Call::all_reduce({data.data(), count})).wait();
  });
  bool both_named = false;
  for (const std::string& error : errors) {
    EXPECT_NE(error, "");
    both_named |=
        error.find("count=63") != std::string::npos && error.find("count=64") != std::string::npos;
  }
  EXPECT_TRUE(both_named) << errors[0] << "\n" << errors[1];
}

TEST_P(AsyncErrors, BadArguments_AreRefusedAtOnce_AndNothingIsStarted) {
  spawn(world(2), [](Communicator& rank) {
    std::vector<float> data(4, 1.F);
    EXPECT_THROW(rank.start(Call::broadcast({data.data(), 4}, 7)), Error);
    EXPECT_THROW(rank.prepare(Call::all_reduce({static_cast<float*>(nullptr), 4})), Error);
    EXPECT_THROW(Work().then(nullptr), Error);
    rank.barrier();
  });
}

TEST_P(AsyncErrors, Timeout_OfAStartedCall_NamesTheMissingRank) {
  World late = world(2);
  late.timeout_ms = 300;
  auto ranks = make_world(late);
  Work work = ranks[0].start(Call::barrier());
  const auto error = error_of(work);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), ErrorCode::kTimeout);
  EXPECT_EQ(error->culprit(), 1);
  EXPECT_THAT(error->what(), ::testing::HasSubstr("(RONDO_TIMEOUT_MS sets the limit)"));
}

/// The communicator's own limit is longer, and not the one to change.
TEST_P(AsyncErrors, TimeoutByADeadlineOfTheCall_SaysSo) {
  auto ranks = make_world(world(2));
  Call impatient = Call::barrier();
  impatient.timeout_ms = 300;
  Work work = ranks[0].start(impatient);
  const auto error = error_of(work);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), ErrorCode::kTimeout);
  EXPECT_THAT(error->what(), ::testing::HasSubstr("for 300 ms in call #1"));
  EXPECT_THAT(error->what(), ::testing::HasSubstr("(the call's own deadline)"));
}

TEST_P(AsyncErrors, AContinuationThatCallsItsCommunicator_IsRefused) {
  spawn(world(2), [](Communicator& rank) {
    std::string refused;
    Work work = rank.start(Call::barrier());
    work.then([&](const Error*) {
      try {
        rank.barrier();
      } catch (const Error& error) {
        refused = error.what();
      }
    });
    rank.barrier();
    // A call that was done before it got its continuation runs it here, where calls are allowed.
    EXPECT_THAT(refused, ::testing::AnyOf("", HasSubstr("a continuation can't use")));
  });
}

TEST_P(AsyncErrors, AContinuation_MayLookAtItsCommunicator) {
  spawn(world(2), [](Communicator& rank) {
    std::vector<float> data(1000, 1.F);
    std::string algorithm;
    std::uint64_t sent = 0;
    if (rank.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    Work work = rank.start(Call::all_reduce({data.data(), data.size()}));
    work.then([&](const Error*) {
      algorithm = rank.last_call().algorithm;
      sent = rank.traffic().at(0).sent_bytes;
    });
    work.wait();
    EXPECT_NE(algorithm, "");
    EXPECT_GE(sent, 2000U);
  });
}

TEST_P(AsyncErrors, AContinuationThatAborts_EndsEveryCallOfEveryRank) {
  auto ranks = make_world(world(2));
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    float first = 1.F, second = 1.F;
    if (rank.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    Work work = rank.start(Call::all_reduce({&first, 1}));
    if (rank.rank() == 0) {
      work.then([&](const Error*) {
        rank.abort(Error(ErrorCode::kCancelled, "the loss is not a number"));
      });
    }
    Work next = rank.start(Call::all_reduce({&second, 1}));
    if (rank.rank() == 0) work.wait();
    next.wait();
    rank.barrier();
  });
  EXPECT_THAT(errors, Each(HasSubstr("the loss is not a number")));
}

INSTANTIATE_TEST_SUITE_P(Worlds, AsyncErrors, every_way(), name_of_way);

}  // namespace
}  // namespace rondo::testing
