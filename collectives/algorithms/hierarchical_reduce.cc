// Hierarchical reduce: what a host's ranks contribute is added up inside it, where memory is
// shared, by all of them at once, and one sum of the data leaves each host.
//
// The data is cut into columns (host_columns.h), and every column into as many rows. One phase,
// inside and between, row by row: each rank offers its part of the row to the column's owner in its
// host, which adds up its host's contributions, its own first (in rank order where there is one
// host alone), then the sums that come from the column's owners in other hosts, and passes the
// result on towards the root's host: along a binomial tree of the hosts or a chain, as in
// hierarchical_broadcast.cc, upwards. In the root's host the owner hands the complete row to the
// root, which owns some columns itself.
//
// In each turn every owner has one row. A rank that owns several columns serves them one after the
// other, in everybody's order.
//
// Cost, for h hosts of l ranks: 2 alpha_inside + (2l-1)/l * bytes * beta_inside + bytes * gamma,
// and between hosts in a tree ceil(log2 h) * (alpha + bytes * beta), in a chain
// (h-1) alpha + (1 + (h-2)/rows) * bytes * beta, where beta is that of a host's link.
// Source: as hierarchical_all_reduce.cc and hierarchical_broadcast.cc.

#include "collectives/algorithms/hierarchical_reduce.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/algorithms/hierarchical_broadcast.h"
#include "collectives/algorithms/host_columns.h"
#include "collectives/algorithms/rank_order_reduce.h"
#include "collectives/algorithms/tree_broadcast.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

namespace {

class Writer {
 public:
  explicit Writer(const schedule::Request& request)
      : builder_(request),
        request_(request),
        ranks_(request),
        root_host_(schedule::layout_of(request)->host_of(request.root)),
        rows_of_column_(request.rows / static_cast<std::uint32_t>(ranks_.columns())) {
    find_hosts();
  }

  schedule::RankSchedule write() && {
    for (std::uint32_t part = 0; part < rows_of_column_; ++part) {
      for (int first = 0; first < ranks_.columns(); first += ranks_.columns_of_round())
        round(part, first);
    }
    return std::move(builder_).finish();
  }

 private:
  /// The hosts whose sums come to this one, nearest first, and the one that this one's goes to.
  void find_hosts() {
    const int hosts = ranks_.hosts();
    const int number = tree_number(ranks_.host(), root_host_, hosts);
    if (number > 0) after_ = tree_rank(tree_parent(number), root_host_, hosts);
    std::vector<int> children = tree_children(number, hosts);
    if (hierarchical_broadcast_is_chain(hosts, rows_of_column_)) {
      if (number > 0) after_ = tree_rank(number - 1, root_host_, hosts);
      children.clear();
      if (number + 1 < hosts) children.push_back(number + 1);
    }
    std::ranges::reverse(children);
    for (const int child : children) before_.push_back(tree_rank(child, root_host_, hosts));
  }

  void round(std::uint32_t part, int first) {
    for (int mate = 0; mate < ranks_.mates(); ++mate) {
      const int column = ranks_.mate_column(first, mate);
      if (column < ranks_.columns())
        builder_.send(ranks_.mate(mate), {BufferRole::kInput, row(column, part)});
    }
    const int own = ranks_.own_column(first);
    if (own < ranks_.columns()) add(row(own, part), own);
    if (request_.rank != request_.root) return;
    for (int mate = 0; mate < ranks_.mates(); ++mate) {
      const int column = ranks_.mate_column(first, mate);
      if (column < ranks_.columns())
        builder_.recv(ranks_.mate(mate), {BufferRole::kOutput, row(column, part)});
    }
  }
  void add(std::uint32_t row, int column) {
    const bool is_root = request_.rank == request_.root;
    const bool sums = ranks_.mates() > 0 || !before_.empty();
    Slice target{BufferRole::kInput, row};
    if (sums) target = is_root ? Slice{BufferRole::kOutput, row} : builder_.scratch(row);
    Slice sum = sum_of_host(row, target);
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const bool completes = ranks_.host() == root_host_ && i + 1 == before_.size();
      builder_.recv_reduce(ranks_.owner(before_[i], column), sum, target, completes);
      sum = target;
    }
    if (ranks_.host() != root_host_) {
      builder_.send(ranks_.owner(after_, column), sum);
    } else if (!is_root) {
      builder_.send(request_.root, sum);
    }
  }
  /// Where it lies: in `target` where that is all there is to be added.
  Slice sum_of_host(std::uint32_t row, Slice target) {
    if (ranks_.mates() == 0) return {BufferRole::kInput, row};
    const Slice sum = before_.empty() ? target : builder_.scratch(row);
    rank_order_reduce(builder_,
                      Contributors{request_.rank, ranks_.order_of_sum(), ranks_.hosts() == 1}, row,
                      sum);
    return sum;
  }
  std::uint32_t row(int column, std::uint32_t part) const {
    return static_cast<std::uint32_t>(column) * rows_of_column_ + part;
  }

  schedule::Builder builder_;
  const schedule::Request request_;
  const HostColumns ranks_;
  const int root_host_;
  const std::uint32_t rows_of_column_;
  std::vector<int> before_;
  int after_ = -1;
};

}  // namespace

std::uint32_t hierarchical_reduce_rows(const schedule::Request& request, std::size_t count) {
  const schedule::SharedLayout layout = schedule::layout_of(request);
  const auto share = count / static_cast<std::size_t>(layout->most_ranks());
  const std::uint32_t rows = tree_broadcast_rows(layout->hosts(), share);
  return schedule::rows_of_ranks(layout->most_ranks(), static_cast<int>(rows));
}

schedule::RankSchedule hierarchical_reduce(const schedule::Request& request) {
  if (request.world > 1) return Writer(request).write();
  schedule::Builder builder(request);
  for (std::uint32_t row = 0; row < request.rows; ++row)
    builder.copy({BufferRole::kInput, row}, {BufferRole::kOutput, row});
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
