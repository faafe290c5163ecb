#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/algorithms/tree_broadcast.h"

namespace rondo::algorithms {
namespace {

TEST(Tree, Numbers_StartAtTheRootAndGoBack) {
  EXPECT_EQ(tree_number(3, 3, 5), 0);
  EXPECT_EQ(tree_number(2, 3, 5), 4);
  for (int rank = 0; rank < 5; ++rank) EXPECT_EQ(tree_rank(tree_number(rank, 3, 5), 3, 5), rank);
}

TEST(Tree, ParentsAndChildren_AgreeAndReachEverybody) {
  for (int world = 1; world <= 33; ++world) {
    int reached = 1;
    for (int number = 0; number < world; ++number) {
      for (const int child : tree_children(number, world)) {
        EXPECT_EQ(tree_parent(child), number);
        EXPECT_LT(child, world);
        ++reached;
      }
    }
    EXPECT_EQ(reached, world);
  }
}

TEST(Tree, Children_AreServedLargestSubtreeFirst) {
  EXPECT_EQ(tree_children(0, 13), (std::vector<int>{8, 4, 2, 1}));
  EXPECT_EQ(tree_children(4, 13), (std::vector<int>{6, 5}));
  EXPECT_EQ(tree_children(8, 10), (std::vector<int>{9}));
}

TEST(Tree, Depth_IsTheLogarithm) {
  for (int world : {2, 3, 4, 5, 8, 9, 16, 17, 128}) {
    int depth = 0;
    while ((1 << depth) < world) ++depth;
    for (int number = 0; number < world; ++number) {
      int hops = 0;
      for (int at = number; at != 0; at = tree_parent(at)) ++hops;
      EXPECT_LE(hops, depth);
    }
  }
}

TEST(Tree, Rows_GrowWithTheDataAndStayFew) {
  EXPECT_EQ(tree_broadcast_rows(8, 0), 1U);
  EXPECT_EQ(tree_broadcast_rows(8, 1000), 1U);
  EXPECT_EQ(tree_broadcast_rows(2, 1 << 24), 1U) << "one hop has nothing to overlap";
  EXPECT_EQ(tree_broadcast_rows(8, 4 * 65536), 4U);
  EXPECT_EQ(tree_broadcast_rows(8, 1 << 28), 16U);
}

}  // namespace
}  // namespace rondo::algorithms
