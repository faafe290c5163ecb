// Double binary tree all-reduce: the bytes of the ring in a logarithmic number of steps, at any
// world size.
//
// A rank inside a binary tree hears from two children and tells one parent, and a leaf, that is
// half of all ranks, only tells its parent: one tree leaves half of the links idle. Two trees, each
// over one half of the rows, in which the inner ranks of one are the leaves of the other, load all
// of them alike. Tree t is lane t.
//
// Phase 1, up: for each row of its tree in turn a rank adds its children's sums to its input and
// hands the sum to its parent, in one sweep once fused. The root completes the row.
// Phase 2, down: each row in turn is received from the parent and passed on to the children.
//
// Up and down don't overlap: a rank's links are busy in both directions in either phase (inner in
// one tree, leaf in the other), so there is nothing to be gained.
//
// Cost: 4 log2(p) alpha + (2 + 4 (log2(p) - 1)/rows) * bytes * beta + bytes * gamma, rows of both
// trees together. A parent takes two messages in a step, which is where 4 comes from.
// Source: P. Sanders, J. Speck and J. L. Traeff, "Two-tree algorithms for full bandwidth broadcast,
// reduction and scan", Parallel Computing 35 (2009). Numbering as in NCCL (graph/trees.cc).

#include "collectives/algorithms/double_binary_tree_all_reduce.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/algorithms/in_order_tree.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

namespace {

constexpr int kTrees = 2;
// A level of the tree costs two rows' time in either phase: with this many rows per tree the fill
// of a thousand ranks' trees is about half of the whole. Chosen by the cost formula, not measured.
constexpr std::size_t kLeastRowCount = 16 * 1024;
constexpr std::size_t kMostRows = 32;

Slice input(std::uint32_t row) { return {BufferRole::kInput, row}; }
Slice output(std::uint32_t row) { return {BufferRole::kOutput, row}; }

/// One of the two trees, as one of its ranks sees it.
struct Tree {
  bool is_root = false;
  Rank parent = -1;
  std::vector<Rank> children;
  std::uint16_t lane = 0;
};

Tree tree_of(Rank rank, int tree, int world) {
  const int number = double_tree_number(rank, tree, world);
  Tree own;
  own.is_root = number == 0;
  own.lane = static_cast<std::uint16_t>(tree);
  if (!own.is_root) own.parent = double_tree_rank(in_order_parent(number, world), tree, world);
  for (const int child : in_order_children(number, world)) {
    own.children.push_back(double_tree_rank(child, tree, world));
  }
  return own;
}

void write_up(schedule::Builder& builder, const Tree& tree, std::uint32_t row) {
  Slice sum = input(row);
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    const bool last = i + 1 == tree.children.size();
    builder.recv_reduce(tree.children[i], sum, output(row), tree.is_root && last, tree.lane);
    sum = output(row);
  }
  if (!tree.is_root) builder.send(tree.parent, sum, tree.lane);
}

void write_down(schedule::Builder& builder, const Tree& tree, std::uint32_t row) {
  if (!tree.is_root) builder.recv(tree.parent, output(row), tree.lane);
  for (const Rank child : tree.children) builder.send(child, output(row), tree.lane);
}

}  // namespace

std::uint32_t double_binary_tree_rows(int world, std::size_t count) {
  if (world <= 2) return kTrees;
  const std::size_t rows = std::clamp<std::size_t>(count / kTrees / kLeastRowCount, 1, kMostRows);
  return kTrees * static_cast<std::uint32_t>(rows);
}

schedule::RankSchedule double_binary_tree_all_reduce(const schedule::Request& request) {
  schedule::Builder builder(request);
  if (request.world == 1) {
    for (std::uint32_t row = 0; row < request.rows; ++row) builder.copy(input(row), output(row));
    return std::move(builder).finish();
  }
  const std::uint32_t rows_of_tree = request.rows / kTrees;
  for (int t = 0; t < kTrees; ++t) {
    const Tree tree = tree_of(request.rank, t, request.world);
    const std::uint32_t first = static_cast<std::uint32_t>(t) * rows_of_tree;
    for (std::uint32_t i = 0; i < rows_of_tree; ++i) write_up(builder, tree, first + i);
    for (std::uint32_t i = 0; i < rows_of_tree; ++i) write_down(builder, tree, first + i);
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
