// Calls of more counts than plans are kept of: right all the same, and nothing piles up.

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/open_things.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr std::size_t kKept = 256;  // as docs/architecture.md says
constexpr std::size_t kCounts = 2 * kKept + 44;

float element(int rank, std::size_t count, std::size_t i) {
  return static_cast<float>(rank + 1) * 0.5F + static_cast<float>((count * 31 + i) % 97);
}

class ManyCounts : public ::testing::TestWithParam<std::tuple<std::string, DeviceKind>> {
 protected:
  World world() const {
    const auto& [transport, kind] = GetParam();
    return {.size = 2, .transport = transport, .device = {kind, 0}};
  }
};

void reduce_and_check(Communicator& rank, Memory<float>& memory, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = element(rank.rank(), count, i);
  memory.write(0, values);
  rank.all_reduce(memory.buffer(0, count));
  const std::vector<float> sums = memory.read(0, count);
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(sums[i], element(0, count, i) + element(1, count, i)) << count << ' ' << i;
}

TEST_P(ManyCounts, MoreThanAreKept_AgainAndAgain_AreRight_AndNothingPilesUp) {
  std::vector<Communicator> ranks = make_world(world());
  const auto run = [&ranks](std::size_t most) {
    const auto errors = run_ranks(ranks, [most](Communicator& rank) {
      Memory<float> memory(rank.device(), 3 * kCounts, false);
      for (std::size_t count = 1; count <= most; ++count) {
        reduce_and_check(rank, memory, 3 * count);
        if (count % 5 == 0) reduce_and_check(rank, memory, 7);  // one that is made all the time
      }
    });
    for (const std::string& error : errors) EXPECT_EQ(error, "");
  };
  run(kKept + 10);
  const OpenThings before = OpenThings::now();
  run(kCounts);
  run(kCounts);
  expect_no_more_open_than(before, "calls of many counts");
}

void gather_and_check(Communicator& rank, Memory<float>& memory, std::size_t count) {
  const std::vector<std::size_t> counts{count, 2 * count + 1};
  const std::size_t own = counts[static_cast<std::size_t>(rank.rank())];
  std::vector<float> values(own);
  for (std::size_t i = 0; i < own; ++i) values[i] = element(rank.rank(), count, i);
  memory.write(0, values);
  rank.all_gather_v(memory.buffer(0, own), memory.buffer(kCounts, 3 * count + 1), counts);
  const std::vector<float> all = memory.read(kCounts, 3 * count + 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int from = i < count ? 0 : 1;
    ASSERT_EQ(all[i], element(from, count, from == 0 ? i : i - count)) << count << ' ' << i;
  }
}

void scatter_and_check(Communicator& rank, Memory<float>& memory, std::size_t count) {
  const std::vector<std::size_t> counts{count, 2 * count + 1};
  const std::size_t all = 3 * count + 1;
  const std::size_t own = counts[static_cast<std::size_t>(rank.rank())];
  std::vector<float> values(all);
  for (std::size_t i = 0; i < all; ++i) values[i] = element(rank.rank(), count, i);
  memory.write(0, values);
  rank.reduce_scatter_v(memory.buffer(0, all), memory.buffer(kCounts, own), counts);
  const std::vector<float> sums = memory.read(kCounts, own);
  const std::size_t first = rank.rank() == 0 ? 0 : count;
  for (std::size_t i = 0; i < own; ++i)
    ASSERT_EQ(sums[i], element(0, count, first + i) + element(1, count, first + i)) << count;
}

TEST_P(ManyCounts, OfParts_MoreThanAreKept_AreRight) {
  std::vector<Communicator> ranks = make_world(world());
  const auto errors = run_ranks(ranks, [](Communicator& rank) {
    Memory<float> memory(rank.device(), 3 * kCounts, false);
    for (int round = 0; round < 3; ++round) {
      for (const std::size_t count : {1U, 2U, 60U, 61U, 3U, 4U, 100U, 5U, 6U, 62U, 7U, 8U}) {
        gather_and_check(rank, memory, count);
        gather_and_check(rank, memory, count);
        gather_and_check(rank, memory, 1);
      }
      // The last one of these is known, and its plan is forgotten for those of another collective.
      for (std::size_t count = 1; count <= 20; ++count) scatter_and_check(rank, memory, count);
      gather_and_check(rank, memory, 1);
    }
  });
  for (const std::string& error : errors) EXPECT_EQ(error, "");
}

INSTANTIATE_TEST_SUITE_P(Worlds, ManyCounts,
                         ::testing::Values(std::tuple("shm", DeviceKind::kHost),
                                           std::tuple("inproc", DeviceKind::kHost),
                                           std::tuple("tcp", DeviceKind::kHost),
                                           std::tuple("inproc", DeviceKind::kEmulated),
                                           std::tuple("shm", DeviceKind::kEmulated)),
                         [](const auto& parameters) {
                           return std::get<0>(parameters.param) + "_" +
                                  to_string(std::get<1>(parameters.param));
                         });

}  // namespace
}  // namespace rondo::testing
