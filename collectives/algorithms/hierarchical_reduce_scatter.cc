// Hierarchical reduce-scatter: what a host's ranks contribute to a row is added up inside it, where
// memory is shared, and one sum of each row crosses from host to host.
//
// Ranks stand in columns (host_columns.h): row r is in the column that its rank owns, so a column
// has at most one row of each host. One phase of as many steps as there are hosts, inside and
// between: in the first step it is the rows of the host before, in the next those of the host
// before that, and so on to this host's own. In a step each rank offers its part of every row to
// the row's owner in its host, which adds up its host's contributions, its own first (in rank order
// where there is one host alone), then adds the sum that comes from the column's owner in the host
// before, and passes the result on to the next host's; the last step completes row r at rank r.
// Where a host has fewer ranks than there are columns, there are no such rows.
//
// Rounds and ranks that own several columns are as in hierarchical_all_gather.cc. The input is
// never written: sums on their way live in scratch, one slot per row that passes through.
//
// Cost, for h hosts of l ranks: (h-1) alpha_between + (h-1)/h * input bytes * beta_between, which
// is that of a host's link, + h alpha_inside + (l-1)/l * input bytes * (beta_inside + gamma).
// Source: as hierarchical_all_reduce.cc, of which it is the first half.

#include "collectives/algorithms/hierarchical_reduce_scatter.h"

#include <utility>

#include "collectives/algorithms/host_columns.h"
#include "collectives/algorithms/rank_order_reduce.h"
#include "collectives/algorithms/ring.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

namespace {

class Writer {
 public:
  explicit Writer(const schedule::Request& request)
      : builder_(request), rank_(request.rank), hosts_(request) {}

  schedule::RankSchedule write() && {
    for (int step = 0; step < hosts_.hosts(); ++step) {
      for (int first = 0; first < hosts_.columns(); first += hosts_.columns_of_round())
        round(step, first);
    }
    return std::move(builder_).finish();
  }

 private:
  std::uint32_t row_of(int host, int column) const {
    return static_cast<std::uint32_t>(hosts_.owner(host, column));
  }
  void round(int step, int first) {
    const auto of = static_cast<int>(ring_reduce_row(hosts_.host(), step, hosts_.hosts()));
    for (int mate = 0; mate < hosts_.mates(); ++mate) {
      const int column = hosts_.mate_column(first, mate);
      if (hosts_.has_rank(of, column))
        builder_.send(hosts_.mate(mate), {BufferRole::kInput, row_of(of, column)});
    }
    const int own = hosts_.own_column(first);
    if (hosts_.has_rank(of, own)) add(step, of, own);
  }
  void add(int step, int of, int column) {
    const std::uint32_t row = row_of(of, column);
    const bool completes = step == hosts_.hosts() - 1;
    const Slice target = completes ? Slice{BufferRole::kOutput, row} : builder_.scratch(row);
    Slice sum = sum_of_host(row, target, step);
    if (step > 0) {
      builder_.recv_reduce(hosts_.previous(column), sum, target, completes);
      sum = target;
    }
    if (!completes) builder_.send(hosts_.next(column), sum);
  }
  /// Where it lies: in `target` where that is all there is to be added.
  Slice sum_of_host(std::uint32_t row, Slice target, int step) {
    if (hosts_.mates() == 0) return {BufferRole::kInput, row};
    const Slice sum = step > 0 ? builder_.scratch(row) : target;
    rank_order_reduce(builder_, Contributors{rank_, hosts_.order_of_sum(), hosts_.hosts() == 1},
                      row, sum);
    return sum;
  }

  schedule::Builder builder_;
  const Rank rank_;
  const HostColumns hosts_;
};

}  // namespace

schedule::RankSchedule hierarchical_reduce_scatter(const schedule::Request& request) {
  if (request.world > 1) return Writer(request).write();
  schedule::Builder builder(request);
  builder.copy({BufferRole::kInput, 0}, {BufferRole::kOutput, 0});
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
