#pragma once

// The shape of the double binary tree: a binary tree over the numbers 0..world-1 in which numbers
// are in order from left to right, so that every odd number is a leaf; and the two ways that ranks
// are numbered, so that (nearly) every rank is a leaf of one of the two trees.

#include <vector>

#include "collectives/schedule/op.h"

namespace rondo::algorithms {

/// Of a number other than 0, which is the root and has one child.
int in_order_parent(int number, int world);
/// At most two, the one with the deeper subtree first.
std::vector<int> in_order_children(int number, int world);

/// The number of a rank in tree 0 or tree 1, and the rank of a number. Tree 0 takes ranks as they
/// are; tree 1 is its mirror image where the world is even, and else is shifted by one rank.
int double_tree_number(schedule::Rank rank, int tree, int world);
schedule::Rank double_tree_rank(int number, int tree, int world);

}  // namespace rondo::algorithms
