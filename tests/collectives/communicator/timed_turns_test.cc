// Who is timed first: over all turns nobody always is, and nobody always comes behind the others.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "collectives/communicator/timed_calls.h"

namespace rondo::communicator {
namespace {

/// The places that one of `count` has in all turns.
std::vector<std::size_t> places_of(std::size_t one, std::size_t count, std::size_t turns) {
  std::vector<std::size_t> places;
  for (std::size_t turn = 0; turn < turns; ++turn)
    places.push_back((one + count - first_of_turn(count, turn, turns)) % count);
  return places;
}

TEST(TimedTurns, AsManyAsThereAreToBeTimed_GiveEachEveryPlace) {
  for (std::size_t count = 1; count <= 12; ++count) {
    for (std::size_t one = 0; one < count; ++one) {
      auto places = places_of(one, count, count);
      std::ranges::sort(places);
      for (std::size_t place = 0; place < count; ++place) EXPECT_EQ(places[place], place);
    }
  }
}

TEST(TimedTurns, OfThreeAndMore_NobodyIsAlwaysEarlyOrLate) {
  for (std::size_t count = 2; count <= 12; ++count) {
    for (const std::size_t turns : {3U, 5U, 6U}) {
      for (std::size_t one = 0; one < count; ++one) {
        const auto places = places_of(one, count, turns);
        const auto [least, most] = std::ranges::minmax(places);
        EXPECT_GE(most - least, (count - 1) / 2) << one << " of " << count << " in " << turns;
      }
    }
  }
}

TEST(TimedTurns, One_BeginsWithTheFirst) { EXPECT_EQ(first_of_turn(5, 0, 1), 0U); }

}  // namespace
}  // namespace rondo::communicator
