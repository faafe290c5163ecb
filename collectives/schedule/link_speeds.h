#pragma once

// How fast the links between ranks are, relative to the fastest. Every rank holds the same.
//
// Speeds are rounded to eighths, and what is within three tenths of the fastest counts as equal to
// it: in a cluster of equal links a measurement's noise changes no plan, and so no result's bits. A
// value; threads: any.

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/schedule/op.h"

namespace rondo::schedule {

class LinkSpeeds {
 public:
  /// One link for each rank, in any unit; between two ranks the slower of theirs counts. All > 0.
  static LinkSpeeds of_ranks(std::span<const double> speeds);
  /// `speeds[from * world + to]`, in any unit; 0 where the two share memory: those pairs count as
  /// fast as the fastest.
  static LinkSpeeds of_pairs(int world, std::span<const double> speeds);

  int world() const { return world_; }
  /// 1/8 to 1; 1 is the fastest.
  double between(Rank from, Rank to) const {
    const double speed = link(from, to);
    return speed == 0 ? 1 : speed;
  }
  bool share_memory(Rank one, Rank other) const { return link(one, other) == 0; }
  /// What the rank's own link can do: the fastest of its pairs with those that it shares no memory
  /// with, the slower direction; 1 where there are none.
  double of(Rank rank) const;
  double slowest() const;
  /// Those between some of the ranks, numbered anew in the order of `ranks`; 1 stays the fastest of
  /// all, which may be none of theirs.
  LinkSpeeds restricted_to(std::span<const Rank> ranks) const;

  friend bool operator==(const LinkSpeeds&, const LinkSpeeds&) = default;

 private:
  LinkSpeeds(int world, std::vector<double> links);

  double link(Rank from, Rank to) const {
    return links_[static_cast<std::size_t>(from) * static_cast<std::size_t>(world_) +
                  static_cast<std::size_t>(to)];
  }

  int world_ = 1;
  std::vector<double> links_;  ///< 0 where there is none: memory is shared
};

/// Which part of the data each rank should own, where every rank sends its contribution to the
/// owner and the owner the result to all: rank i then sends and receives (1 + (p-2) f_i) of the
/// data, and this splits the data so that the rank which needs longest, at its link's speed, is
/// done first. The slowest may own nothing. Sums to 1.
std::vector<double> owners_shares(const LinkSpeeds& links);

/// The ranks in a ring whose slowest step is as fast as can be, then whose steps take least in all;
/// `order` where nothing is faster. To 8 ranks the best of all rings; to 128 nearest neighbour,
/// then 2-opt (G. A. Croes, Operations Research 6 (1958)), O(p^3) for each of a few passes; more
/// keep `order`.
std::vector<Rank> fast_ring(const LinkSpeeds& links, std::span<const Rank> order);
/// The speed of a ring's slowest step.
double slowest_step(const LinkSpeeds& links, std::span<const Rank> order);

}  // namespace rondo::schedule
