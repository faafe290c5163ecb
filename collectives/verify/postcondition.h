#pragma once

// What every rank's output must hold when a collective has run, and how the ranks' outputs must
// agree. Reductions: the complete, once-divided sum by the same expression on every rank.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/verify/value.h"
#include "core/status.h"

namespace rondo::verify {

/// The rank to blame for a wrong value, and the sweep, in words.
struct Blame {
  schedule::Rank rank = 0;
  std::string text;
};

/// What there is to know after a run.
struct Outcome {
  /// What a rank's memory holds; null where nothing was stored.
  std::function<const Value*(schedule::Rank rank, schedule::Slice slice)> find;
  /// Whether the end of `rank` comes after the start of `other` in every order.
  std::function<bool(schedule::Rank rank, schedule::Rank other)> end_knows_start;
  // Of values, where the run has kept where they came from, else null:
  /// What it is made of.
  std::function<std::string(const Value& value)> made_of = nullptr;
  /// The sweep that it went wrong in, where it should be of each of the ranks `right` once; else
  /// the one that stored it.
  std::function<std::optional<Blame>(const Value& value, std::span<const schedule::Rank> right)>
      blame = nullptr;
};

/// Of the bases, and with them of all their turns: those of a base's row are the same row on each
/// of its turns, so all ranks have the same expression where these do. Errors: InvalidArgument,
/// naming rank and row, what it holds, what it should hold and, where that is kept, who is to
/// blame.
Status check_postcondition(std::span<const schedule::FusedSchedule> bases,
                           const schedule::Rotation& rotation, const Outcome& outcome);

}  // namespace rondo::verify
