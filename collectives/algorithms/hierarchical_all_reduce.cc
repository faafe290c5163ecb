// Hierarchical all-reduce: as much as possible inside hosts, where memory is shared, and between
// hosts no more than one host's share of the data.
//
// The data is cut into columns, one for each rank of the largest host, and every column into as
// many rows as there are hosts. In each host every column has one owner: column c belongs to the
// host's rank number c modulo its ranks, so that ranks of smaller hosts own several. Phase 1,
// inside: each rank offers every row to its owner in its host, which adds up all contributions in
// rank order. Phase 2, between: the owners of a column, one in each host, run a ring all-reduce
// over its rows. Phase 3, inside: the owners offer what is complete to all ranks of their host.
//
// Inside a host rows are exchanged in rounds, one row of each owner at a time, so that a channel
// never holds more than one. A rank that owns several columns runs their rings side by side, step
// by step, in the same order as everybody.
//
// Cost, for h hosts of l ranks: 2 l alpha_inside + 2(l-1)/l * bytes * beta_inside
// + 2(h-1) alpha_between + 2(h-1)/h * bytes/l * beta_between + bytes * gamma. A rank that is alone
// in its host carries all columns: bytes instead of bytes/l. Source: the layered collectives of N.
// Karonis et al., "Exploiting hierarchy in parallel computer networks to optimize collective
// operation performance", IPDPS 2000; with all ranks of a host at work between hosts as in NCCL's
// and Horovod's hierarchical all-reduce.

#include "collectives/algorithms/hierarchical_all_reduce.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/algorithms/rank_order_reduce.h"
#include "collectives/algorithms/ring.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::HostLayout;
using schedule::Rank;
using schedule::Slice;

namespace {

/// The owner of `column` in a host.
Rank owner_of(const HostLayout& layout, int host, int column) {
  const auto ranks = layout.ranks_of(host);
  return ranks[static_cast<std::size_t>(column) % ranks.size()];
}

class Writer {
 public:
  explicit Writer(const schedule::Request& request)
      : builder_(request),
        rank_(request.rank),
        shared_(schedule::layout_of(request)),
        layout_(*shared_),
        hosts_(layout_.hosts()),
        host_(layout_.host_of(rank_)),
        columns_(layout_.most_ranks()),
        here_(layout_.ranks_of(host_)) {
    for (int column = 0; column < columns_; ++column) {
      if (owner_of(layout_, host_, column) == rank_) own_columns_.push_back(column);
    }
  }

  schedule::RankSchedule write() && {
    if (here_.size() > 1) sum_inside();
    if (hosts_ > 1) ring_between();
    if (here_.size() > 1) spread_inside();
    return std::move(builder_).finish();
  }

 private:
  std::uint32_t row(int column, int part) const {
    return static_cast<std::uint32_t>(column * hosts_ + part);
  }
  static Slice output(std::uint32_t row) { return {BufferRole::kOutput, row}; }
  /// What this host has summed of a row that this rank owns.
  Slice sum_of_host(std::uint32_t row) const {
    return {here_.size() > 1 ? BufferRole::kOutput : BufferRole::kInput, row};
  }
  int ranks_here() const { return static_cast<int>(here_.size()); }

  void sum_inside() {
    for (int first = 0; first < columns_; first += ranks_here()) {
      const int last = std::min(first + ranks_here(), columns_);
      for (int part = 0; part < hosts_; ++part) sum_round(first, last, part);
    }
  }
  /// Each owner of the columns first..last-1 gets and adds one row.
  void sum_round(int first, int last, int part) {
    for (int column = first; column < last; ++column) {
      const Rank owner = owner_of(layout_, host_, column);
      if (owner != rank_) builder_.send(owner, {BufferRole::kInput, row(column, part)});
    }
    for (int column = first; column < last; ++column) {
      if (owner_of(layout_, host_, column) != rank_) continue;
      const std::uint32_t own = row(column, part);
      rank_order_reduce(builder_, Contributors{rank_, here_, hosts_ == 1}, own, output(own));
    }
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
        builder_.send(next_of(own_columns_[i]), newest[i]);
        newest[i] = output(next);
        builder_.recv_reduce(previous_of(own_columns_[i]), sum_of_host(next), newest[i],
                             step == hosts_ - 2);
      }
    }
    for (int step = 0; step < hosts_ - 1; ++step) {
      const auto part = static_cast<int>(ring_gather_row(host_, step, hosts_));
      for (std::size_t i = 0; i < own_columns_.size(); ++i) {
        builder_.send(next_of(own_columns_[i]), newest[i]);
        newest[i] = output(row(own_columns_[i], part));
        builder_.recv(previous_of(own_columns_[i]), newest[i]);
      }
    }
  }
  Rank next_of(int column) const { return owner_of(layout_, ring_next(host_, hosts_), column); }
  Rank previous_of(int column) const {
    return owner_of(layout_, ring_previous(host_, hosts_), column);
  }

  void spread_inside() {
    for (int first = 0; first < columns_; first += ranks_here()) {
      const int last = std::min(first + ranks_here(), columns_);
      for (int part = 0; part < hosts_; ++part) spread_round(first, last, part);
    }
  }
  void spread_round(int first, int last, int part) {
    for (int column = first; column < last; ++column) {
      if (owner_of(layout_, host_, column) != rank_) continue;
      for (const Rank peer : here_) {
        if (peer != rank_) builder_.send(peer, output(row(column, part)));
      }
    }
    for (int column = first; column < last; ++column) {
      const Rank owner = owner_of(layout_, host_, column);
      if (owner != rank_) builder_.recv(owner, output(row(column, part)));
    }
  }

  schedule::Builder builder_;
  const Rank rank_;
  const schedule::SharedLayout shared_;
  const HostLayout& layout_;
  const int hosts_;
  const int host_;
  const int columns_;
  const std::span<const Rank> here_;  ///< the ranks of this host
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
