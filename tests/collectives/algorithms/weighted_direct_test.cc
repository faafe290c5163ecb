// How weighted_direct cuts the data into rows.

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "collectives/algorithms/weighted_direct_all_reduce.h"

namespace rondo::algorithms {
namespace {

TEST(WeightedDirect, Counts_AddUpWhateverTheCount) {
  schedule::HostLayout layout(std::vector<int>{0, 1, 2, 3, 4});
  const auto links = schedule::LinkSpeeds::of_ranks(std::vector<double>{1, 0.3, 0.6, 0.05, 1});
  schedule::Request request{.world = 5};
  request.layout = std::make_shared<const schedule::HostLayout>(layout.with_links(links));
  for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 1000U, 77'777U, 1'234'567U}) {
    request.rows = weighted_direct_rows(request, count);
    const auto counts = weighted_direct_counts(request, count);
    EXPECT_EQ(counts.size(), request.rows);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), count);
  }
}

TEST(WeightedDirect, Blocks_AreFewForLittleDataAndForManyRanks) {
  EXPECT_EQ(weighted_direct_rows({.world = 4}, 1000), 4U);
  EXPECT_EQ(weighted_direct_rows({.world = 4}, 1 << 24), 32U);
  EXPECT_EQ(weighted_direct_rows({.world = 128}, 1 << 24), 256U);
  EXPECT_EQ(weighted_direct_rows({.world = 1}, 1 << 24), 1U);
}

}  // namespace
}  // namespace rondo::algorithms
