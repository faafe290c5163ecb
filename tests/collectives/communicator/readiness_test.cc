// The descriptor that a program's own loop polls: readable when there is something to do, and only
// then.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "tests/collectives/communicator/polling.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr std::size_t kCount = 2000;

Call sum_of(std::vector<float>& data) {
  return Call::all_reduce({data.data(), data.size(), DataType::kF32});
}

std::vector<float> given(const Communicator& rank) {
  std::vector<float> data(kCount);
  for (std::size_t i = 0; i < kCount; ++i)
    data[i] = static_cast<float>(i % 31) / 4 + static_cast<float>(rank.rank());
  return data;
}

class Readiness : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  World world(int size) const {
    return {
        .size = size, .transport = std::get<0>(GetParam()), .progress = std::get<1>(GetParam())};
  }
};

TEST_P(Readiness, LoopEndsAllCalls_AndIsQuietAfterwards) {
  spawn(world(3), [](Communicator& rank) {
    EXPECT_EQ(rank.progress(), 0U) << "before there is a descriptor nothing is counted";
    const int descriptor = rank.descriptor();
    EXPECT_EQ(rank.descriptor(), descriptor);
    EXPECT_FALSE(is_readable(descriptor, 0));
    std::array<std::vector<float>, 4> data;
    std::vector<Work> works;
    for (auto& each : data) {
      each = given(rank);
      works.push_back(rank.start(sum_of(each)));
    }
    std::size_t ended = 0;
    while (ended < works.size()) {
      ASSERT_TRUE(is_readable(descriptor, kLong)) << ended << " have ended";
      ended += rank.progress();
    }
    EXPECT_EQ(ended, works.size());
    for (Work& work : works) EXPECT_TRUE(work.test());
    for (const auto& each : data) EXPECT_EQ(each[30], 3 * 30.0F / 4 + 3);
    // The thread that has ended the last call may be about to say so.
    bool is_quiet = false;
    for (int round = 0; round < 20 && !is_quiet; ++round) {
      EXPECT_EQ(rank.progress(), 0U);
      is_quiet = !is_readable(descriptor, 5);
    }
    EXPECT_TRUE(is_quiet);
    rank.barrier();
  });
}

TEST_P(Readiness, FailedCallsEndToo) {
  std::vector<Communicator> ranks = make_world(world(2));
  run_ranks(ranks, [](Communicator& rank) {
    if (rank.rank() == 1) {
      rank.abort(Error(ErrorCode::kSystem, "the disk is full"));
      return;
    }
    const int descriptor = rank.descriptor();
    std::vector<float> data = given(rank);
    Work work = rank.start(sum_of(data));
    std::size_t ended = 0;
    while (ended == 0) {
      ASSERT_TRUE(is_readable(descriptor, kLong));
      ended = rank.progress();
    }
    EXPECT_THROW(work.wait(), Error);
  });
}

INSTANTIATE_TEST_SUITE_P(Ways, Readiness,
                         ::testing::Combine(::testing::Values("inproc", "shm", "tcp"),
                                            ::testing::Values("thread", "caller")),
                         [](const auto& parameter) {
                           return std::get<0>(parameter.param) + "_" + std::get<1>(parameter.param);
                         });

TEST(ReadinessOfOthers, SleepsUntilALatePeerComes) {
  spawn({.size = 2, .transport = "shm"}, [](Communicator& rank) {
    std::vector<float> data = given(rank);
    const int descriptor = rank.descriptor();
    if (rank.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    Work work = rank.start(sum_of(data));
    int woken = 0;
    std::size_t ended = 0;
    while (ended == 0) {
      ASSERT_TRUE(is_readable(descriptor, kLong));
      ++woken;
      ended = rank.progress();
    }
    EXPECT_LE(woken, 2) << "the thread of the communicator's own waits, not this one";
    work.wait();
  });
}

TEST(ReadinessOfOthers, WorldOfOne) {
  spawn({.size = 1}, [](Communicator& rank) {
    const int descriptor = rank.descriptor();
    std::vector<float> data = given(rank);
    Work work = rank.start(sum_of(data));
    ASSERT_TRUE(is_readable(descriptor, kLong));
    EXPECT_EQ(rank.progress(), 1U);
    work.wait();
  });
}

}  // namespace
}  // namespace rondo::testing
