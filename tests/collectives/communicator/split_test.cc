// Communicators of some ranks of another one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "tests/collectives/communicator/few_cores.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Split : public ::testing::TestWithParam<std::string> {
 protected:
  World world(int size) const {
    return {.size = size, .transport = GetParam(), .timeout_ms = 20'000};
  }
};

double sum_of(Communicator& ranks, double own) {
  ranks.all_reduce({&own, 1});
  return own;
}

TEST_P(Split, ByColor_OrdersByKeyAndThenByRank) {
  spawn(world(5), [](Communicator& all) {
    const int color = all.rank() % 2;
    // Even ranks backwards; odd ones keep their order.
    auto some = all.split(color, color == 0 ? -all.rank() : 3);
    ASSERT_TRUE(some.has_value());
    EXPECT_EQ(some->size(), color == 0 ? 3 : 2);
    EXPECT_EQ(some->rank(), color == 0 ? (4 - all.rank()) / 2 : all.rank() / 2);
    EXPECT_EQ(sum_of(*some, all.rank() + 0.5), color == 0 ? 7.5 : 5);
    EXPECT_EQ(sum_of(all, all.rank() + 0.5), 12.5);
    for (const PeerTraffic& peer : some->traffic()) {
      EXPECT_EQ(peer.transport, GetParam());
      EXPECT_GT(peer.sent_bytes + peer.received_bytes, 0U);
    }
  });
}

/// In metrics and in the last calls that an error tells.
TEST_P(Split, IsCountedByItsOwnName) {
  spawn(world(2), [](Communicator& all) {
    const auto some = all.split(0);
    EXPECT_THAT(all.metrics(), HasSubstr("collective=\"split\""));
    EXPECT_THAT(all.metrics(), Not(HasSubstr("all_gather")));
  });
}

TEST_P(Split, WithoutAColor_GivesNone_AndHoldsNobodyUp) {
  spawn(world(3), [](Communicator& all) {
    auto some = all.rank() == 1 ? all.split({}) : all.split(7);
    EXPECT_EQ(some.has_value(), all.rank() != 1);
    EXPECT_TRUE(!some.has_value() || sum_of(*some, all.rank() + 1) == 4);
    EXPECT_FALSE(all.split({}).has_value()) << "nobody at all";
    all.barrier();
  });
}

TEST_P(Split, OfASplit_AndOnceMoreTheSame_AreWorldsOfTheirOwn) {
  spawn(world(4), [](Communicator& all) {
    auto half = all.split(all.rank() / 2);
    auto same = all.split(all.rank() / 2);
    ASSERT_TRUE(half.has_value() && same.has_value());
    auto single = half->split(half->rank());
    ASSERT_TRUE(single.has_value());
    EXPECT_EQ(single->size(), 1);
    EXPECT_EQ(sum_of(*single, all.rank()), all.rank());
    const double expected = all.rank() < 2 ? 1 : 5;
    // Different calls on each, one waiting for none of the others.
    double a = all.rank(), b = all.rank();
    std::vector<Work> works;
    works.push_back(half->start(Call::all_reduce({&a, 1})));
    works.push_back(same->start(Call::all_reduce({&b, 1}, ReduceOp::kMax)));
    EXPECT_EQ(sum_of(all, 1), 4);
    wait_all(works);
    EXPECT_EQ(a, expected);
    EXPECT_EQ(b, all.rank() < 2 ? 1 : 3);
  });
}

TEST_P(Split, OutlivesWhatItWasSplitFrom) {
  spawn(world(3), [](Communicator& all) {
    auto some = all.split(0, -all.rank());
    { const Communicator gone(std::move(all)); }
    RegisteredMemory memory(sizeof(double) * 1000);
    auto* data = static_cast<double*>(memory.data());
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 1000; ++i) data[i] = some->rank() + 0.25 * i;
      some->all_reduce({data, 1000});
      for (int i = 0; i < 1000; ++i) ASSERT_EQ(data[i], 3 + 0.75 * i);
    }
  });
}

TEST_P(Split, OneThatFails_LeavesTheOthersUsable) {
  spawn(world(4), [](Communicator& all) {
    auto pair = all.split(all.rank() % 2);
    if (all.rank() == 2) {
      pair->abort(Error(ErrorCode::kDataLoss, "the test gives up"));
    } else if (all.rank() == 0) {
      EXPECT_THROW(pair->barrier(), Error);
    } else {
      pair->barrier();
    }
    all.barrier();
  });
}

TEST_P(Split, WhereARankDoesSomethingElse_IsAMismatch) {
  auto ranks = make_world(world(2));
  const auto errors = run_ranks(ranks, [](Communicator& all) {
    if (all.rank() == 0) {
      all.split(0);
    } else {
      all.barrier();
      all.barrier();
    }
  });
  for (const std::string& error : errors) {
    EXPECT_THAT(error, HasSubstr("split()"));
    EXPECT_THAT(error, HasSubstr("barrier()"));
  }
}

double predicted_us(Communicator& ranks) {
  sum_of(ranks, 1);
  return ranks.last_call().predicted_us;
}

// Those of the other parts go on running where it does.
TEST(SplitCores, PartOfAWorld_SharesCoresWithAllOfIt) {
  const FewCores bound(1);
  std::atomic<double> of_two = 0;
  std::atomic<double> of_a_half = 0;
  spawn({.size = 2, .transport = "tcp"}, [&](Communicator& two) { of_two = predicted_us(two); });
  spawn({.size = 4, .transport = "tcp"}, [&](Communicator& four) {
    std::optional<Communicator> half = four.split(four.rank() / 2);
    of_a_half = predicted_us(half.value());
  });
  EXPECT_GT(of_two, 0);
  EXPECT_GT(of_a_half, 1.5 * of_two);
}

INSTANTIATE_TEST_SUITE_P(Transports, Split, ::testing::Values("inproc", "shm", "tcp"),
                         [](const auto& parameters) { return parameters.param; });

}  // namespace
}  // namespace rondo::testing
