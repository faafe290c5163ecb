#include "tools/rondo/bench/rank_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/rondo/bench/places.h"

namespace rondo::tool {
namespace {

using testing::ElementsAre;

/// What three ranks, whose two calls took 1 and 5, 2 and 3, and 6 and 4, make of that; they agree.
std::vector<double> times_of_three(TimeOf time_of) {
  const std::vector<std::vector<double>> times_us = {{1, 5}, {2, 3}, {6, 4}};
  std::vector<Communicator> places = Communicator::create(places_of("host", 3));
  std::vector<std::vector<double>> combined(3);
  run_places(places, [&](Communicator& place) {
    const auto rank = static_cast<std::size_t>(place.rank());
    combined[rank] = times_us[rank];
    combine_over_ranks(place, time_of, combined[rank]);
    return 0;
  });
  EXPECT_EQ(combined[1], combined[0]);
  EXPECT_EQ(combined[2], combined[0]);
  return combined[0];
}

TEST(CombineOverRanks, EveryWay_IsWhatNcclTestsMeansByIt) {
  EXPECT_THAT(times_of_three(TimeOf::kFirstRank), ElementsAre(1, 5));
  EXPECT_THAT(times_of_three(TimeOf::kMean), ElementsAre(3, 4));
  EXPECT_THAT(times_of_three(TimeOf::kFastestRank), ElementsAre(1, 3));
  EXPECT_THAT(times_of_three(TimeOf::kSlowestRank), ElementsAre(6, 5));
}

}  // namespace
}  // namespace rondo::tool
