// Binomial tree broadcast, pipelined by rows.
//
// Numbered from the root, the parent of a rank is its number with the lowest set bit cleared. For
// each row in turn a rank receives it from its parent and passes it on to its children, the child
// with the largest subtree first; the fusing pass joins that into one sweep per row. The root
// copies its input to its output (nothing to do in place).
//
// Cost: ceil(log2 p) alpha + (1 + (ceil(log2 p) - 1)/rows) * bytes * beta where a rank serves all
// its children at once (shared memory); ceil(log2 p) * bytes * beta where it serves them in turn.
// Source: J. Worringen / MPICH lineage: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of
// collective communication operations in MPICH", IJHPCA 19 (2005).

#include "collectives/algorithms/tree_broadcast.h"

#include <algorithm>
#include <utility>

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

namespace {

// Below this many elements per row the latency of another message outweighs the overlap; above
// kMostRows the gain per row is below 1/16 of the depth. Chosen by the cost formula, not measured.
constexpr std::size_t kLeastRowCount = 64 * 1024;
constexpr std::size_t kMostRows = 16;

int lowest_set_bit(int number) { return number & -number; }

}  // namespace

int tree_number(Rank rank, Rank root, int world) { return (rank - root + world) % world; }

Rank tree_rank(int number, Rank root, int world) { return (number + root) % world; }

int tree_parent(int number) { return number & (number - 1); }

std::vector<int> tree_children(int number, int world) {
  const int end = number == 0 ? world : lowest_set_bit(number);
  std::vector<int> children;
  for (int bit = 1; bit < end && bit < world - number; bit *= 2) children.push_back(number + bit);
  std::reverse(children.begin(), children.end());
  return children;
}

std::uint32_t tree_broadcast_rows(int world, std::size_t count) {
  if (world <= 2) return 1;
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(count / kLeastRowCount, 1, kMostRows));
}

schedule::RankSchedule tree_broadcast(const schedule::Request& request) {
  const int number = tree_number(request.rank, request.root, request.world);
  const std::vector<int> children = tree_children(number, request.world);
  const Rank parent = tree_rank(tree_parent(number), request.root, request.world);
  schedule::Builder builder(request);
  for (std::uint32_t row = 0; row < request.rows; ++row) {
    const Slice output{BufferRole::kOutput, row};
    if (number == 0) {
      builder.copy({BufferRole::kInput, row}, output);
    } else {
      builder.recv(parent, output);
    }
    for (const int child : children) {
      builder.send(tree_rank(child, request.root, request.world), output);
    }
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
