// All-reduces of memory that no peer can map: results come back in the slots that the contributions
// went out in, so nothing is copied more than once on its way out and once on its way back. And of
// registered memory beside it, which nobody copies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/collectives/execute/rank.h"
#include "transport/ring/line.h"

namespace rondo::execute {
namespace {

using Values = std::vector<std::vector<float>>;  // by rank

constexpr std::size_t kSegmentCount = transport::ShmOptions().slot_bytes / sizeof(float);

class PrivateMemory : public testing::TestWithParam<int> {
 protected:
  PrivateMemory() {
    static std::uint64_t jobs = 9500;
    std::vector<std::string> addresses;
    for (int rank = 0; rank < GetParam(); ++rank) {
      addresses.push_back(
          ranks_.emplace_back(transport::TransportKind::kShm, jobs, rank, GetParam()).address());
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
  std::size_t world() const { return ranks_.size(); }
  Values drawn(std::size_t count) {
    std::uniform_real_distribution<float> draw(-3, 3);
    Values values(world(), std::vector<float>(count));
    for (auto& own : values)
      for (float& value : own) value = draw(random_);
    return values;
  }
  Values reduced(Values values, const std::vector<Path>& paths) {
    each([&](Rank& rank, std::size_t i) {
      const Status status =
          rank.all_reduce(values[i], ReduceOp::kSum, paths[i % paths.size()], "direct");
      EXPECT_TRUE(status.ok()) << status.to_string();
    });
    return values;
  }
  /// What each rank copies when every row has `row` elements: the others' rows, out and back.
  std::size_t copied_once_each_way(std::size_t row) const {
    const std::size_t rest_bytes = row % kSegmentCount * sizeof(float);
    const std::size_t in_lines = rest_bytes <= transport::kInlineBytes ? rest_bytes : 0;
    return 2 * (world() - 1) * (row * sizeof(float) - in_lines);
  }
  void expect_copies(std::size_t row, Path path) {
    const Values values = drawn(row * world());
    std::vector<std::size_t> before;
    for (const Rank& rank : ranks_) before.push_back(rank.copied_bytes());
    const Values sums = reduced(values, {path});
    for (std::size_t i = 0; i < world(); ++i)
      EXPECT_EQ(ranks_[i].copied_bytes() - before[i], copied_once_each_way(row))
          << "rank " << i << ", rows of " << row;
    EXPECT_EQ(sums, reduced(values, {Path::kRegisteredPlan})) << "rows of " << row;
  }

  std::vector<Rank> ranks_;
  std::mt19937 random_{17};
};

TEST_P(PrivateMemory, LongMessages_AreCopiedOnceEachWay) {
  // Rows that end with a whole slot, with part of one, and with what a line holds.
  for (const std::size_t row :
       {kSegmentCount, 11 * kSegmentCount, 9 * kSegmentCount + 1000, 13 * kSegmentCount + 3})
    expect_copies(row, Path::kPlan);
}

TEST_P(PrivateMemory, ShortMessages_AreCopiedOnceEachWay) {
  for (const std::size_t row : {5U, 7U, 700U, 2048U}) expect_copies(row, Path::kLendingEager);
}

// What all ranks map is read where it lies, and results are stored into the peers' memory.
TEST_P(PrivateMemory, RegisteredMemory_IsCopiedNowhere) {
  for (const std::size_t row : {kSegmentCount, 11 * kSegmentCount, 9 * kSegmentCount + 1000}) {
    std::vector<std::size_t> before;
    for (const Rank& rank : ranks_) before.push_back(rank.copied_bytes());
    reduced(drawn(row * world()), {Path::kRegisteredPlan});
    for (std::size_t i = 0; i < world(); ++i)
      EXPECT_EQ(ranks_[i].copied_bytes(), before[i]) << "rank " << i << ", rows of " << row;
  }
}

TEST_P(PrivateMemory, BesideRanksThatLendTheirs_HasTheSameBits) {
  const Values values = drawn(20 * kSegmentCount + 77);
  const Values sums = reduced(values, {Path::kRegisteredPlan});
  EXPECT_EQ(reduced(values, {Path::kPlan}), sums);
  EXPECT_EQ(reduced(values, {Path::kPlan, Path::kRegisteredPlan}), sums);
  EXPECT_EQ(reduced(values, {Path::kRegisteredPlan, Path::kPlan, Path::kPlan}), sums);
  for (std::size_t i = 0; i < values[0].size(); i += 997) {
    double sum = 0;
    for (const auto& own : values) sum += own[i];
    EXPECT_NEAR(sums[0][i], sum, 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, PrivateMemory, testing::Values(2, 3, 4));

}  // namespace
}  // namespace rondo::execute
