#include "transport/ring/group_table.h"

#include <gtest/gtest.h>

namespace rondo::transport {
namespace {

TEST(GroupTable, Token_ofAReleasedGroup_findsNothingEvenAfterReuse) {
  GroupTable table(1);
  const Token first = table.token_of(table.acquire(2));
  ASSERT_NE(table.find(first), nullptr);
  EXPECT_EQ(table.find(first)->remaining, 2u);
  table.release(GroupTable::index_of(first));
  EXPECT_EQ(table.find(first), nullptr);
  const Token second = table.token_of(table.acquire(1));
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_NE(table.find(second), nullptr);
}

TEST(GroupTable, Full_afterCapacityGroups_untilOneIsReleased) {
  GroupTable table(3);
  std::uint32_t last = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(table.full());
    last = table.acquire(1);
  }
  EXPECT_TRUE(table.full());
  table.release(last);
  EXPECT_FALSE(table.full());
}

TEST(GroupTable, Find_ofATokenNeverGiven_findsNothing) {
  GroupTable table(3);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.find(~Token{0}), nullptr);
}

}  // namespace
}  // namespace rondo::transport
