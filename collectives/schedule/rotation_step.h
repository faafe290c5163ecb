#pragma once

// One step of a rotation while it is being looked for: the next rank is given, what becomes of rows
// is learnt from the schedules that are compared.

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collectives/schedule/rank_schedule.h"
#include "collectives/schedule/rotation.h"

namespace rondo::schedule {

class RotationStep {
 public:
  /// `cycle` names each rank once; it is borrowed.
  RotationStep(std::span<const Rank> cycle, std::uint32_t rows);

  /// Each: whether the step can make the second of the first. What it says of a row is remembered:
  /// another answer later is a no.
  bool turns(std::uint32_t row, std::uint32_t next);
  bool turns(Slice slice, Slice next);
  bool turns_rank(Rank rank, Rank next) const;
  bool has_rank(Rank rank) const {
    return rank >= 0 && static_cast<std::size_t>(rank) < next_rank_.size();
  }
  Rank next_rank(Rank rank) const { return next_rank_[static_cast<std::size_t>(rank)]; }
  /// What both are asked for: the rows of input and output.
  bool turns(const Request& own, const Request& next);
  bool turns(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> next);

  /// When all schedules have been compared. Nothing where something about rows has been left open,
  /// or says no.
  std::optional<Rotation> rotation(Collective collective) const;

 private:
  bool turns(const RowRange& rows, const RowRange& next);
  bool turns_ranges() const;

  std::span<const Rank> cycle_;
  std::vector<Rank> next_rank_;
  std::vector<std::uint32_t> next_row_;
  std::vector<std::pair<RowRange, RowRange>> ranges_;  ///< to be compared when all rows are known
};

}  // namespace rondo::schedule
