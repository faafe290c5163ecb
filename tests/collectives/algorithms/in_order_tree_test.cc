#include "collectives/algorithms/in_order_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rondo::algorithms {
namespace {

constexpr int kMostRanks = 300;

TEST(InOrderTree, ParentsAndChildren_AgreeAndReachEverybody) {
  for (int world = 1; world <= kMostRanks; ++world) {
    int reached = 1;
    for (int number = 0; number < world; ++number) {
      const auto children = in_order_children(number, world);
      EXPECT_LE(children.size(), 2U);
      for (const int child : children) {
        EXPECT_EQ(in_order_parent(child, world), number) << "child " << child << " of " << world;
        EXPECT_LT(child, world);
        ++reached;
      }
    }
    EXPECT_EQ(reached, world);
  }
}

TEST(InOrderTree, ThirteenNumbers_HangAsDrawn) {
  EXPECT_EQ(in_order_children(0, 13), (std::vector<int>{8}));
  EXPECT_EQ(in_order_children(8, 13), (std::vector<int>{4, 12}));
  EXPECT_EQ(in_order_children(12, 13), (std::vector<int>{10}));
  EXPECT_EQ(in_order_children(10, 13), (std::vector<int>{9, 11}));
  EXPECT_EQ(in_order_children(11, 13), (std::vector<int>{}));
}

TEST(InOrderTree, Depth_IsTheLogarithm) {
  for (int world = 2; world <= kMostRanks; ++world) {
    int most = 0;
    while ((1 << most) < world) ++most;
    for (int number = 0; number < world; ++number) {
      int hops = 0;
      for (int at = number; at != 0; at = in_order_parent(at, world)) ++hops;
      EXPECT_LE(hops, most) << number << " of " << world;
    }
  }
}

TEST(DoubleTree, Numbers_GoBackToRanks) {
  for (int world = 1; world <= 33; ++world) {
    for (int tree = 0; tree < 2; ++tree) {
      for (int rank = 0; rank < world; ++rank) {
        EXPECT_EQ(double_tree_rank(double_tree_number(rank, tree, world), tree, world), rank);
      }
    }
  }
}

TEST(DoubleTree, InnerRanks_AreLeavesOfTheOtherTreeButForOneOfAnOddWorld) {
  const auto is_inner = [](int rank, int tree, int world) {
    const int number = double_tree_number(rank, tree, world);
    return !in_order_children(number, world).empty();
  };
  for (int world = 2; world <= kMostRanks; ++world) {
    int inner_of_both = 0;
    for (int rank = 0; rank < world; ++rank) {
      if (is_inner(rank, 0, world) && is_inner(rank, 1, world)) ++inner_of_both;
    }
    EXPECT_LE(inner_of_both, world % 2) << world;
  }
}

}  // namespace
}  // namespace rondo::algorithms
