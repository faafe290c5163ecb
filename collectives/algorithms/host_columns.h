#pragma once

// Ranks of all hosts in columns, for algorithms that go inside hosts and between them: one column
// for each rank of the largest host. In each host every column has one owner: column c belongs to
// the host's rank number c modulo its ranks, so that ranks of smaller hosts own several. Numbers
// inside a host are by ascending rank, whether or not its ranks are neighbours. A value; threads:
// any.

#include <span>
#include <vector>

#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

class HostColumns {
 public:
  explicit HostColumns(const schedule::Request& request);

  int hosts() const { return layout_->hosts(); }
  int columns() const { return columns_; }
  /// That of the request's rank.
  int host() const { return host_; }
  /// Ranks of that host, ascending.
  std::span<const schedule::Rank> here() const { return layout_->ranks_of(host_); }
  /// The other ranks of that host as this one serves them, `index` 0, 1, ...: the next one first,
  /// so that nobody is everybody's first.
  schedule::Rank mate(int index) const;
  int mates() const { return static_cast<int>(here().size()) - 1; }
  /// In which order this rank adds up its host's contributions: its own and its mates', so that
  /// ranks of equal hosts are turns of each other (schedule/rotation.h); where there is one host
  /// alone ascending, as the direct algorithms do.
  std::span<const schedule::Rank> order_of_sum() const { return order_of_sum_; }

  /// Columns are served in rounds, in which each rank of a host owns one; a round begins at
  /// `first`, 0, columns_of_round(), ... The last may have fewer columns.
  int columns_of_round() const { return static_cast<int>(here().size()); }
  /// Of the round, this rank's own, and that of mate(index). Where there is none: columns().
  int own_column(int first) const { return column_of_round(first, number_); }
  int mate_column(int first, int index) const {
    return column_of_round(first, (number_ + 1 + index) % columns_of_round());
  }

  schedule::Rank owner(int host, int column) const;
  bool owns(int column) const { return owner(host_, column) == rank_; }
  /// Who owns the column in the next host and in the one before, in a ring of the hosts.
  schedule::Rank next(int column) const;
  schedule::Rank previous(int column) const;

  /// Whether a host has a rank whose number is that of the column: its owner then.
  bool has_rank(int host, int column) const {
    return column < static_cast<int>(layout_->ranks_of(host).size());
  }

 private:
  int column_of_round(int first, int number) const {
    return first + number < columns_ ? first + number : columns_;
  }

  schedule::SharedLayout layout_;  ///< the request's
  schedule::Rank rank_;
  int host_;
  int number_ = 0;  ///< of the rank in its host
  int columns_;
  std::vector<schedule::Rank> order_of_sum_;
};

}  // namespace rondo::algorithms
