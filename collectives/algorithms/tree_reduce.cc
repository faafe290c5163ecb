// Binomial tree reduce, pipelined by rows: the tree of the broadcast, upwards.
//
// For each row in turn a rank receives from its children, the child with the smallest subtree
// first, since that one is ready first, adds each to what it has, and passes the sum on to its
// parent. Leaves send their input; the root's last sum goes to its output.
//
// Cost: ceil(log2 p) alpha + (1 + (ceil(log2 p) - 1)/rows) * bytes * (beta + gamma) where a rank's
// children are served at once; ceil(log2 p) * bytes * (beta + gamma) where in turn.
// Source: as tree_broadcast.cc.

#include "collectives/algorithms/tree_reduce.h"

#include <algorithm>
#include <utility>

#include "collectives/algorithms/tree_broadcast.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

namespace {

/// Adds the children's sums of `row` to this rank's input; where the result lies.
Slice collect(schedule::Builder& builder, const schedule::Request& request,
              const std::vector<int>& children, std::uint32_t row, bool is_root) {
  Slice sum{BufferRole::kInput, row};
  if (children.empty()) return sum;
  const Slice result = is_root ? Slice{BufferRole::kOutput, row} : builder.scratch(row);
  for (std::size_t i = 0; i < children.size(); ++i) {
    const bool last = i + 1 == children.size();
    const Rank child = tree_rank(children[i], request.root, request.world);
    builder.recv_reduce(child, sum, result, is_root && last);
    sum = result;
  }
  return sum;
}

}  // namespace

schedule::RankSchedule tree_reduce(const schedule::Request& request) {
  const int number = tree_number(request.rank, request.root, request.world);
  std::vector<int> children = tree_children(number, request.world);
  std::reverse(children.begin(), children.end());
  schedule::Builder builder(request);
  for (std::uint32_t row = 0; row < request.rows; ++row) {
    const Slice sum = collect(builder, request, children, row, number == 0);
    if (number != 0) {
      builder.send(tree_rank(tree_parent(number), request.root, request.world), sum);
    } else if (children.empty()) {
      builder.copy(sum, {BufferRole::kOutput, row});
    }
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
