#pragma once

// Which ranks share a host, and an order of the ranks in which those of one host are neighbours.
// Every rank holds the same. A value; threads: any.

#include <memory>
#include <span>
#include <vector>

#include "collectives/schedule/op.h"

namespace rondo::schedule {

class HostLayout {
 public:
  /// `host_of` has one entry per rank: those with equal entries share a host. Hosts are numbered
  /// anew, in the order of their lowest rank.
  explicit HostLayout(std::span<const int> host_of);
  static HostLayout one_host(int world);

  /// The same hosts with another order of the ranks, for example one that bandwidths were measured
  /// for. `order` holds every rank once.
  HostLayout with_order(std::vector<Rank> order) const;

  int world() const { return static_cast<int>(host_of_.size()); }
  int hosts() const { return static_cast<int>(ranks_of_.size()); }
  int host_of(Rank rank) const { return host_of_[static_cast<std::size_t>(rank)]; }
  /// Ascending.
  std::span<const Rank> ranks_of(int host) const {
    return ranks_of_[static_cast<std::size_t>(host)];
  }
  /// Ranks of the host that has most.
  int most_ranks() const;

  /// Host by host, unless with_order() said otherwise.
  std::span<const Rank> order() const { return order_; }
  int place_in_order(Rank rank) const { return place_of_[static_cast<std::size_t>(rank)]; }

  friend bool operator==(const HostLayout&, const HostLayout&) = default;

 private:
  void set_order(std::vector<Rank> order);

  std::vector<int> host_of_;
  std::vector<std::vector<Rank>> ranks_of_;
  std::vector<Rank> order_;
  std::vector<int> place_of_;
};

/// Shared by the requests of a world, which are copied freely; it never changes.
using SharedLayout = std::shared_ptr<const HostLayout>;

}  // namespace rondo::schedule
