#include "transport/rendezvous/key_table.h"

#include <gtest/gtest.h>

#include <limits>

namespace rondo::rendezvous {
namespace {

TEST(KeyTable, Key_outOfBounds_isRefused) {
  KeyTable table;
  EXPECT_EQ(table.set("", "v").code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(table.set(std::string(kMaxKeyBytes + 1, 'k'), "v").code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(table.set(std::string(kMaxKeyBytes, 'k'), "v").ok());
  EXPECT_EQ(table.set("k", std::string(kMaxValueBytes + 1, 'v')).code(),
            ErrorCode::kInvalidArgument);
  EXPECT_TRUE(table.set("k", std::string(kMaxValueBytes, 'v')).ok());
}

TEST(KeyTable, Table_full_refusesMoreAndTakesAgainAfterRemove) {
  KeyTable table;
  const std::string value(kMaxValueBytes, 'v');
  int held = 0;
  while (table.set("key" + std::to_string(held), value).ok()) ++held;
  EXPECT_GE(held, 4096);
  EXPECT_TRUE(table.set("key0", value).ok());  // replacing takes no more room
  table.remove("key0");
  EXPECT_TRUE(table.set("again", value).ok());
  EXPECT_FALSE(table.set("more", value).ok());
}

TEST(KeyTable, Add_toTextOrOverTheEdge_isRefused) {
  KeyTable table;
  ASSERT_TRUE(table.set("text", "12x").ok());
  EXPECT_EQ(table.add("text", 1).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(*table.add("n", std::numeric_limits<std::int64_t>::max()),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(table.add("n", 1).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(*table.add("n", -1), std::numeric_limits<std::int64_t>::max() - 1);
}

}  // namespace
}  // namespace rondo::rendezvous
