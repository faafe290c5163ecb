#include "collectives/algorithms/in_order_tree.h"

#include <bit>

namespace rondo::algorithms {
namespace {

int lowest_set_bit(int number) { return number & -number; }

}  // namespace

int in_order_parent(int number, int world) {
  const int bit = lowest_set_bit(number);
  const int parent = (number ^ bit) | (2 * bit);
  // What would hang to the right of a number that doesn't exist hangs on the left side's.
  return parent < world ? parent : number ^ bit;
}

std::vector<int> in_order_children(int number, int world) {
  if (number == 0) {
    if (world == 1) return {};
    return {static_cast<int>(std::bit_floor(static_cast<unsigned>(world - 1)))};
  }
  const int half = lowest_set_bit(number) / 2;
  if (half == 0) return {};
  std::vector<int> children{number - half};
  int step = half;
  while (step > 0 && number + step >= world) step /= 2;
  if (step > 0) children.push_back(number + step);
  return children;
}

int double_tree_number(schedule::Rank rank, int tree, int world) {
  if (tree == 0) return rank;
  return world % 2 == 0 ? world - 1 - rank : (rank + world - 1) % world;
}

schedule::Rank double_tree_rank(int number, int tree, int world) {
  if (tree == 0) return number;
  return world % 2 == 0 ? world - 1 - number : (number + 1) % world;
}

}  // namespace rondo::algorithms
