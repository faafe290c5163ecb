#pragma once

// A schedule that somebody has written: JSON, one entry for each rank, or rank 0's alone where the
// others do the same one rank and one row further (docs/your-own-schedule.md). Reading it proves
// nothing but that it can be read: collectives/verify does the rest. Pure; threads: any.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/schedule/rank_schedule.h"
#include "core/json/reader.h"
#include "core/status.h"

namespace rondo::schedule {

struct WrittenSchedule {
  std::string name;
  std::string summary;
  std::vector<RankSchedule> ranks;
  bool turns = false;  ///< to_json writes rank 0's alone, which stands for all

  const Request& request() const { return ranks.front().request; }
};

/// Ranks, rows and lanes that a schedule may have which somebody writes.
inline constexpr int kMostWrittenRanks = 4096;
inline constexpr int kMostWrittenRows = 1 << 20;
/// As many as endpoints have for calls (transport::kFirstFreeLane).
inline constexpr int kMostWrittenLanes = 6;

/// What its ranks have together. Few words ask for much, for rows are only counted, and one rank's
/// ops may stand for all; but the proof follows each row, slot and op of each rank.
struct WrittenSize {
  std::int64_t cells = 0;  ///< rows, and scratch slots
  std::int64_t lanes = 0;
  std::int64_t ops = 0;

  /// Errors: InvalidArgument: of which there are too many, and how many there may be.
  Status check() const;
};
inline constexpr std::int64_t kMostWrittenCells = 1 << 22;
inline constexpr std::int64_t kMostLanesOfAll = 1 << 13;
inline constexpr std::int64_t kMostOpsOfAll = 1 << 22;

/// A collective by its name; where there is none, the mistake is kept in the document.
Collective read_collective(json::Value value);

/// `file` begins messages. Errors: InvalidArgument: no JSON, an unknown key or op, a number out of
/// its range, each with its place.
Result<WrittenSchedule> parse_schedule(std::string_view text, std::string file);

/// What parse_schedule reads as the same schedule: all ranks, op by op.
std::string to_json(const WrittenSchedule& schedule);

}  // namespace rondo::schedule
