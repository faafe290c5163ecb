#pragma once

// What a memory cell or a message holds while a schedule is verified: instead of numbers, facts
// about them. Sums are taken in the prime field Z/(2^61 - 1) with one random value per (rank, row),
// so a missing, doubled or foreign contribution shows with certainty but for one chance in 2^60.

#include <cstdint>

#include "collectives/schedule/op.h"

namespace rondo::verify {

struct Value {
  std::uint64_t sum = 0;  ///< of the contributions, in the field
  std::uint64_t tree =
      0;                  ///< hash of the expression; (+) commutes bit for bit, so its sides do too
  std::uint32_t set = 0;  ///< in ContributorSets, where those are kept
  bool divided = false;   ///< came out of a final sweep
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

std::uint64_t field_add(std::uint64_t a, std::uint64_t b);

/// a (+) b, without the sets.
Value combine(const Value& a, const Value& b);

}  // namespace rondo::verify
