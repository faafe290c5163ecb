#pragma once

// What a memory cell or a message holds while a schedule is verified: instead of numbers, facts
// about them. Sums are taken in the prime field Z/(2^61 - 1) with one random value per (rank, row),
// so a missing, doubled or foreign contribution shows with certainty but for one chance in 2^60.

#include <cstdint>

#include "collectives/schedule/op.h"
#include "collectives/schedule/rotation.h"

namespace rondo::verify {

struct Value {
  std::uint64_t sum = 0;  ///< of the contributions, in the field
  std::uint64_t tree =
      0;  ///< hash of the expression; (+) commutes bit for bit, so its sides do too
  std::uint32_t lineage = 0;  ///< a Lineage::Id, where that is kept
  bool divided = false;       ///< came out of a final sweep
  bool unknown = false;       ///< turned, where nobody knows what becomes of it
  /// The expression is ((x_first (+) x_first+1) (+) ...) (+) x_last, sides told apart; none: it is
  /// another.
  schedule::Rank first = 0;
  schedule::Rank last = kNone;
  std::uint32_t sweeps = 0;  ///< that reduced, one on the result of the other

  static constexpr schedule::Rank kNone = -2;
  bool is_in_rank_order() const { return last != kNone; }
};

/// The input of `rank` in `row`.
Value contribution(schedule::Rank rank, std::uint32_t row);
/// What it is, seen from its row's base row: the same for all turns of rank and row, so that what
/// is made of contributions in the same way is the same in each turn.
Value contribution(const schedule::Rotation& rotation, schedule::Rank rank, std::uint32_t row);

std::uint64_t field_add(std::uint64_t a, std::uint64_t b);

/// What `steps` turns make of a value of `row`. In another turn the ranks of a partial sum come in
/// another order, so of that no order is known; and if the row stays, nothing is: it equals no
/// other value.
Value turned(const Value& value, const schedule::Rotation& rotation, std::uint32_t row, int steps);

/// a (+) b, without the lineage.
Value combine(const Value& a, const Value& b);

/// A sum over sources in the order of the ranks they come from, in each turn (Sweep::by_rank). One
/// over all ranks' inputs is the same in each. Of others the orders differ, seen from the row; so
/// their expression names the rank that has made it and, seen from there, where each source came
/// from; and equals none that another rank has made, or has made of other sources.
class SumByRank {
 public:
  /// Made by `maker` of `row`. The rotation is borrowed.
  SumByRank(const schedule::Rotation& rotation, schedule::Rank maker, std::uint32_t row);

  void add(const Value& source, schedule::Rank from);
  Value sum() const;

 private:
  std::uint64_t seen_from_row(schedule::Rank rank) const;

  const schedule::Rotation& rotation_;
  schedule::Rank maker_;
  int row_turn_;
  Value sum_;
  std::uint64_t sources_tree_ = 0;  ///< of the sources and where they came from
  int sources_ = 0;
  bool has_inputs_only_ = true;  ///< each source is the contribution of the rank it comes from
};

}  // namespace rondo::verify
