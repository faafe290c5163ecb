#include "nn/parallel/place_threads.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace rondo::nn {
namespace {

TEST(PlaceThreads, EachPlaceAlwaysHasTheSameThread_TheFirstTheCallers) {
  PlaceThreads threads(3);
  std::vector<std::thread::id> first(3);
  threads.run([&](std::size_t place) { first[place] = std::this_thread::get_id(); });
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_EQ(std::set<std::thread::id>(first.begin(), first.end()).size(), 3U);
  for (int round = 0; round < 100; ++round) {
    threads.run([&](std::size_t place) { ASSERT_EQ(first[place], std::this_thread::get_id()); });
  }
}

TEST(PlaceThreads, ErrorOfAnyPlaceReachesTheCaller_AndTheNextRunWorks) {
  PlaceThreads threads(3);
  for (std::size_t bad = 0; bad < 3; ++bad) {
    const auto fail = [bad](std::size_t place) {
      if (place == bad) throw std::runtime_error("place");
    };
    EXPECT_THROW(threads.run(fail), std::runtime_error);
    threads.run([](std::size_t) {});
  }
}

}  // namespace
}  // namespace rondo::nn
