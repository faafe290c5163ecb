// Hierarchical all-reduce: as much as possible inside hosts, where memory is shared, and between
// hosts no more than one host's share of the data.
//
// The data is cut into columns, one for each rank of the largest host, and every column into as
// many rows as there are hosts. In each host every column has one owner: column c belongs to the
// host's rank number c modulo its ranks, so that ranks of smaller hosts own several
// (host_columns.h). Phase 1, inside: each rank offers every row to its owner in its host, which
// adds up its host's contributions, its own first (in rank order where there is one host alone).
// Phase 2, between: the owners of a column, one in each host, run a ring all-reduce over its rows.
// Phase 3, inside: the owners offer what is complete to all ranks of their host.
//
// Inside a host rows are exchanged in rounds, one row of each owner at a time, so that a channel
// never holds more than one, in the order of the ring. A rank that owns several columns runs their
// rings side by side, step by step, in the same order as everybody.
//
// Cost, for h hosts of l ranks: 2 h alpha_inside + 2(l-1)/l * bytes * beta_inside
// + 2(h-1) alpha_between + 2(h-1)/h * bytes/l * beta_between + bytes * gamma. A rank that is alone
// in its host carries all columns: bytes instead of bytes/l. Source: the layered collectives of N.
// Karonis et al., "Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance", IPDPS 2000; with all ranks of a host at work between hosts as in NCCL's
// and Horovod's hierarchical all-reduce.

#include "collectives/algorithms/hierarchical_all_reduce.h"

#include <utility>
#include <vector>

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
      : builder_(request),
        rank_(request.rank),
        ranks_(request),
        hosts_(ranks_.hosts()),
        host_(ranks_.host()) {
    for (int column = 0; column < ranks_.columns(); ++column) {
      if (ranks_.owns(column)) own_columns_.push_back(column);
    }
  }

  schedule::RankSchedule write() && {
    if (ranks_.mates() > 0) sum_inside();
    if (hosts_ > 1) ring_between();
    if (ranks_.mates() > 0) spread_inside();
    return std::move(builder_).finish();
  }

 private:
  std::uint32_t row(int column, int part) const {
    return static_cast<std::uint32_t>(column * hosts_ + part);
  }
  static Slice output(std::uint32_t row) { return {BufferRole::kOutput, row}; }
  /// What this host has summed of a row that this rank owns.
  Slice sum_of_host(std::uint32_t row) const {
    return {ranks_.mates() > 0 ? BufferRole::kOutput : BufferRole::kInput, row};
  }

  void sum_inside() {
    for (int first = 0; first < ranks_.columns(); first += ranks_.columns_of_round()) {
      for (int step = 0; step < hosts_; ++step)
        sum_round(first, static_cast<int>(ring_gather_row(host_, step, hosts_)));
    }
  }
  /// Each owner of a column gets and adds one row.
  void sum_round(int first, int part) {
    for (int mate = 0; mate < ranks_.mates(); ++mate) {
      const int column = ranks_.mate_column(first, mate);
      if (column < ranks_.columns())
        builder_.send(ranks_.mate(mate), {BufferRole::kInput, row(column, part)});
    }
    const int column = ranks_.own_column(first);
    if (column == ranks_.columns()) return;
    const std::uint32_t own = row(column, part);
    rank_order_reduce(builder_, Contributors{rank_, ranks_.order_of_sum(), hosts_ == 1}, own,
                      output(own));
  }

  void ring_between() {
    std::vector<Slice> newest;
    for (const int column : own_columns_) {
      newest.push_back(sum_of_host(row(column, static_cast<int>(ring_first_row(host_)))));
    }
    for (int step = 0; step < hosts_ - 1; ++step) {
      const auto part = static_cast<int>(ring_reduce_row(host_, step, hosts_));
      for (std::size_t i = 0; i < own_columns_.size(); ++i) {
        const std::uint32_t next = row(own_columns_[i], part);
        builder_.send(ranks_.next(own_columns_[i]), newest[i]);
        newest[i] = output(next);
        builder_.recv_reduce(ranks_.previous(own_columns_[i]), sum_of_host(next), newest[i],
                             step == hosts_ - 2);
      }
    }
    for (int step = 0; step < hosts_ - 1; ++step) {
      const auto part = static_cast<int>(ring_gather_row(host_, step, hosts_));
      for (std::size_t i = 0; i < own_columns_.size(); ++i) {
        builder_.send(ranks_.next(own_columns_[i]), newest[i]);
        newest[i] = output(row(own_columns_[i], part));
        builder_.recv(ranks_.previous(own_columns_[i]), newest[i]);
      }
    }
  }

  void spread_inside() {
    for (int first = 0; first < ranks_.columns(); first += ranks_.columns_of_round()) {
      for (int step = 0; step < hosts_; ++step)
        spread_round(first, static_cast<int>(ring_gather_row(host_, step, hosts_)));
    }
  }
  void spread_round(int first, int part) {
    const int own = ranks_.own_column(first);
    for (int mate = 0; mate < ranks_.mates() && own < ranks_.columns(); ++mate)
      builder_.send(ranks_.mate(mate), output(row(own, part)));
    for (int mate = 0; mate < ranks_.mates(); ++mate) {
      const int column = ranks_.mate_column(first, mate);
      if (column < ranks_.columns()) builder_.recv(ranks_.mate(mate), output(row(column, part)));
    }
  }

  schedule::Builder builder_;
  const Rank rank_;
  const HostColumns ranks_;
  const int hosts_;
  const int host_;
  std::vector<int> own_columns_;
};

}  // namespace

std::uint32_t hierarchical_rows(const schedule::Request& request) {
  const schedule::SharedLayout layout = schedule::layout_of(request);
  return schedule::rows_of_ranks(layout->most_ranks(), layout->hosts());
}

schedule::RankSchedule hierarchical_all_reduce(const schedule::Request& request) {
  if (request.world > 1) return Writer(request).write();
  schedule::Builder builder(request);
  builder.copy({BufferRole::kInput, 0}, {BufferRole::kOutput, 0});
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
