#pragma once

// Ranks that are interchangeable: where a world of schedules has a rotation (schedule/rotation.h)
// and the network looks the same after as many steps of it as there are representatives, what one
// rank does and when tells all that its turns do. The representatives are simulated, with each
// other: a message to any rank is one to its representative. Exact, not an estimate: resources that
// several turns of one rank share are as full as they would be (`weight`). Pure.

#include <cstdint>
#include <vector>

#include "collectives/schedule/chunk_table.h"
#include "collectives/schedule/rotation.h"
#include "collectives/simulate/network.h"

namespace rondo::simulate {

/// A rank, and how many ranks it stands for.
struct Representative {
  schedule::Rank rank = 0;
  int ranks = 1;
};

class Quotient {
 public:
  /// With as few representatives as the network, and rows of equal sizes, allow; all ranks where
  /// nothing is alike.
  static Quotient of(const schedule::Rotation& rotation, const Network& network,
                     const schedule::ChunkTable& table);
  /// Every rank of its own.
  static Quotient whole(const schedule::Rotation& rotation);
  /// Of ranks that are alike without a rotation (kinds.h); `stands_for`: by rank, its place in
  /// `representatives`.
  static Quotient of_kinds(std::vector<Representative> representatives,
                           std::vector<int> stands_for);

  int representatives() const { return representatives_; }
  /// The rank that the i-th representative is.
  schedule::Rank rank_of(int representative) const;
  /// Which representative stands for `rank`.
  int representative_of(schedule::Rank rank) const;
  /// How many ranks it stands for.
  int ranks_each(int representative) const;

  /// Of a rotation, and a message from `sender` to representative `to`: the peer that the sender's
  /// representative sends the same message to.
  schedule::Rank as_sent_by_representative(schedule::Rank sender, int to) const;

 private:
  Quotient(schedule::Rotation rotation, int representatives)
      : rotation_(std::move(rotation)), representatives_(representatives) {}
  bool turns() const { return rotation_.order() > 1; }

  schedule::Rotation rotation_;
  int representatives_;
  std::vector<Representative> kinds_;  ///< where there is no rotation that it is by
  std::vector<int> stands_for_;
};

}  // namespace rondo::simulate
