// What a rank of a large world keeps of parts of different sizes.

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "collectives/communicator/uneven.h"
#include "tests/transport/ring/allocation_count.h"

namespace rondo::communicator {
namespace {

using Counts = std::vector<std::size_t>;

CallArguments all_to_all(const Counts& input_counts, const Counts& output_counts) {
  CallArguments arguments;
  arguments.collective = schedule::Collective::kAllToAll;
  arguments.uneven = true;
  arguments.input_counts = input_counts;
  arguments.output_counts = output_counts;
  return arguments;
}

void expect_rows_in_little_memory(int world) {
  SCOPED_TRACE(testing::Message() << world << " ranks");
  const auto ranks = static_cast<std::uint32_t>(world);
  const std::uint32_t rank = ranks / 3;
  Counts input_counts, output_counts;
  for (std::uint32_t peer = 0; peer < ranks; ++peer) {
    input_counts.push_back(peer % 11);
    output_counts.push_back(peer == rank ? rank % 11 : peer % 13);
  }
  const std::uint64_t before = transport::allocated_bytes();
  schedule::ChunkTable table = schedule::ChunkTable::equal(0, 1);
  const Status status =
      set_uneven(table, all_to_all(input_counts, output_counts), static_cast<int>(rank), world);
  const std::uint64_t bytes = transport::allocated_bytes() - before;
  ASSERT_TRUE(status.ok());
  EXPECT_LE(bytes, 4 * ranks * sizeof(std::size_t));
  EXPECT_EQ(table.count({rank * ranks, ranks, 1}),
            std::accumulate(input_counts.begin(), input_counts.end(), std::size_t{0}));
  EXPECT_EQ(table.count({rank, ranks, ranks}),
            std::accumulate(output_counts.begin(), output_counts.end(), std::size_t{0}));
}

TEST(UnevenMemory, AllToAllOfLargeWorlds_IsInProportionToTheRanks) {
  expect_rows_in_little_memory(4096);
  expect_rows_in_little_memory(65'535);
}

}  // namespace
}  // namespace rondo::communicator
