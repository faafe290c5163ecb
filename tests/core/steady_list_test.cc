#include "core/steady_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <vector>

namespace rondo {
namespace {

using ::testing::ElementsAre;

std::vector<int> items_of(const SteadyList<int>& list) { return {list.begin(), list.end()}; }

TEST(SteadyList, items_standInTheOrderTheyWerePushed) {
  SteadyList<int> list;
  for (int i = 0; i < 4; ++i) list.push(i);
  list.erase(std::next(list.begin(), 2));
  list.pop();
  list.push(4);
  EXPECT_THAT(items_of(list), ElementsAre(1, 3, 4));
  EXPECT_EQ(list.front(), 1);
  EXPECT_EQ(list.back(), 4);
  EXPECT_EQ(list.size(), 3U);
}

TEST(SteadyList, nodesOfWhatWasTakenOut_areUsedAgain) {
  SteadyList<int> list;
  for (int i = 0; i < 3; ++i) list.push(i);
  const int* const first = &list.front();
  const int* const last = &list.back();
  list.erase(std::prev(list.end()));
  list.pop();
  list.push(3);
  EXPECT_EQ(&list.back(), first) << "the one that was left last";
  list.push(4);
  EXPECT_EQ(&list.back(), last);
  EXPECT_THAT(items_of(list), ElementsAre(1, 3, 4));
}

TEST(SteadyList, whatAnItemOwns_goesWithIt) {
  SteadyList<std::shared_ptr<int>> list;
  auto owned = std::make_shared<int>(7);
  list.push(owned);
  EXPECT_EQ(owned.use_count(), 2);
  list.pop();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(owned.use_count(), 1);
}

}  // namespace
}  // namespace rondo
