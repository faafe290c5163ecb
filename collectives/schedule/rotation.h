#pragma once

// A symmetry of a world: ranks in a cycle, of which each does what the one before it does, one rank
// and one row further. What is true of rank 0's schedule is then true of every other, turned; so a
// world of n ranks is fused, and verified, at the cost of one of them. Rings, direct exchanges,
// pairwise, Bruck and PAT have it; trees and what has a root don't.
// Source: quotients by symmetry, E. A. Emerson and A. P. Sistla, "Symmetry and model checking"
// (Formal Methods in System Design, 1996).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rank_schedule.h"

namespace rondo::schedule {

/// The ranks of a world as turns of a few bases: of rank 0, or, where there is no symmetry, each
/// rank of itself.
class Rotation {
 public:
  /// No symmetry.
  static Rotation none(int world);
  /// `cycle` names each rank once, rank 0 first; `next_row` is what one step makes of each row.
  /// Rows stay where they are, all of them, or come back after as many steps as there are ranks;
  /// otherwise there is none.
  static std::optional<Rotation> along(std::span<const Rank> cycle,
                                       std::span<const std::uint32_t> next_row);

  int world() const { return world_; }
  /// Turns until all is as it was; 1 where there is no symmetry.
  int order() const { return order_; }
  int bases() const { return world_ / order_; }
  bool turns_rows() const { return !place_of_row_.empty(); }
  std::size_t rows() const { return place_of_row_.size(); }  ///< that it turns

  /// `rank` is `turn(rank)` steps after its base; `base(rank)` is also the base's place in a list
  /// of all bases.
  Rank base(Rank rank) const { return order_ == 1 ? rank : 0; }
  int turn(Rank rank) const { return order_ == 1 ? 0 : turn_[static_cast<std::size_t>(rank)]; }

  /// `steps` may be negative, down to -order(). What is no rank or row of the world stays as it is.
  Rank turned(Rank rank, int steps) const;
  std::uint32_t turned_row(std::uint32_t row, int steps) const;
  Slice turned(Slice slice, int steps) const;
  /// The same for all turns of a row: one of them.
  std::uint32_t base_row(std::uint32_t row) const;
  /// How many steps `row` is after its base row.
  int row_turn(std::uint32_t row) const;

 private:
  Rotation() = default;
  int wrapped(int turn) const {
    return turn >= order_ ? turn - order_ : turn < 0 ? turn + order_ : turn;
  }

  int world_ = 1;
  int order_ = 1;
  std::vector<Rank> cycle_;
  std::vector<int> turn_;  ///< rank -> its place in the cycle
  struct RowPlace {
    std::uint32_t orbit = 0;  ///< of rows that are turns of each other
    int turn = 0;
  };
  std::vector<RowPlace> place_of_row_;
  std::vector<std::uint32_t> row_at_;  ///< orbit * order + turn
};

/// A world of schedules, one for each base of the rotation.
template <typename Schedule>
struct Folded {
  Rotation rotation;
  std::vector<Schedule> bases;
};
using FoldedWorld = Folded<FusedSchedule>;

/// The schedule of `rank`.
FusedSchedule unfold(const FoldedWorld& world, Rank rank);
std::vector<FusedSchedule> unfold(const FoldedWorld& world);
/// Its scratch_rows alone.
std::vector<std::uint32_t> scratch_rows(const FoldedWorld& world, Rank rank);

}  // namespace rondo::schedule
