#pragma once

// Which ranks share a host, how fast the links between them are where that is known, and an order
// of the ranks in which those with fast links, as of one host, are neighbours. Every rank holds the
// same. A value; threads: any.

#include <memory>
#include <span>
#include <vector>

#include "collectives/schedule/link_speeds.h"
#include "collectives/schedule/op.h"

namespace rondo::schedule {

class HostLayout {
 public:
  /// `host_of` has one entry per rank: those with equal entries share a host. Hosts are numbered
  /// anew, in the order of their lowest rank.
  explicit HostLayout(std::span<const int> host_of);
  static HostLayout one_host(int world);

  /// The same hosts with another order of the ranks. `order` holds every rank once.
  HostLayout with_order(std::vector<Rank> order) const;
  /// The same hosts with the speeds of all ranks' links, in the order of a fast ring.
  HostLayout with_links(LinkSpeeds links) const;

  int world() const { return static_cast<int>(host_of_.size()); }
  int hosts() const { return static_cast<int>(ranks_of_.size()); }
  int host_of(Rank rank) const { return host_of_[static_cast<std::size_t>(rank)]; }
  /// Ascending.
  std::span<const Rank> ranks_of(int host) const {
    return ranks_of_[static_cast<std::size_t>(host)];
  }
  /// Ranks of the host that has most.
  int most_ranks() const { return most_ranks_; }

  /// Host by host, unless with_order() said otherwise.
  std::span<const Rank> order() const { return order_; }
  int place_in_order(Rank rank) const { return place_of_[static_cast<std::size_t>(rank)]; }

  /// Null: nobody has said, all are taken to be equal.
  const LinkSpeeds* links() const { return links_.get(); }

  friend bool operator==(const HostLayout& a, const HostLayout& b) {
    const bool alike =
        a.links_ == nullptr || b.links_ == nullptr ? a.links_ == b.links_ : *a.links_ == *b.links_;
    return alike && a.host_of_ == b.host_of_ && a.order_ == b.order_;
  }

 private:
  void set_order(std::vector<Rank> order);

  std::vector<int> host_of_;
  std::vector<std::vector<Rank>> ranks_of_;
  int most_ranks_ = 0;
  std::vector<Rank> order_;
  std::vector<int> place_of_;
  std::shared_ptr<const LinkSpeeds> links_;
};

/// Shared by the requests of a world, which are copied freely; it never changes.
using SharedLayout = std::shared_ptr<const HostLayout>;

}  // namespace rondo::schedule
