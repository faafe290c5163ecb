#include "transport/endpoint/group_table.h"

#include <gtest/gtest.h>

namespace rondo::transport {
namespace {

TEST(GroupTable, Token_ofAReleasedGroup_findsNothingEvenAfterReuse) {
  GroupTable<int> table(1);
  const Token first = table.token_of(table.acquire(2));
  ASSERT_NE(table.find(first), nullptr);
  EXPECT_EQ(table.find(first)->remaining, 2u);
  table.release(GroupTable<int>::index_of(first));
  EXPECT_EQ(table.find(first), nullptr);
  const Token second = table.token_of(table.acquire(1));
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_NE(table.find(second), nullptr);
}

TEST(GroupTable, MoreGroupsThanExpected_GetRecordsOfTheirOwn) {
  GroupTable<int> table(1);
  const std::uint32_t first = table.acquire(1);
  const std::uint32_t second = table.acquire(1);
  table[first].view = 5;
  table[second].view = 6;
  EXPECT_EQ(table.open(), 2u);
  table.release(first);
  EXPECT_EQ(table.open(), 1u);
  EXPECT_EQ(table.find(table.token_of(second))->view, 6);
  EXPECT_EQ(table[table.acquire(1)].view, 0);
}

TEST(GroupTable, Find_ofATokenNeverGiven_findsNothing) {
  GroupTable<int> table(3);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.find(~Token{0}), nullptr);
}

}  // namespace
}  // namespace rondo::transport
