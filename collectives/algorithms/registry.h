#pragma once

// Every built-in algorithm, by name. An algorithm is a pure function of its request.

#include <span>
#include <string_view>
#include <vector>

#include "collectives/schedule/rank_schedule.h"
#include "core/status.h"

namespace rondo::algorithms {

/// What an algorithm's schedules depend on, of the request's layout.
enum class LayoutUse : std::uint8_t {
  kNone,
  kSharing,  ///< whether each rank has a host of its own (row_exchange.h)
  kHosts,    ///< which ranks share one
};

struct Algorithm {
  std::string_view name;
  schedule::Collective collective;
  schedule::RankSchedule (*build)(const schedule::Request& request);
  /// Rows it cuts the data into, `count` elements, for the world and the layout of `request`;
  /// schedule::kTooManyRows: more than have numbers.
  std::uint32_t (*rows)(const schedule::Request& request, std::size_t count);
  std::string_view summary;  ///< one line for `rondo verify` and `rondo bench --help`
  /// Of gather, scatter and all_to_all: ranks pass on rows that are neither from them nor for them,
  /// whose sizes they may not know.
  bool relays = false;
  LayoutUse uses_layout = LayoutUse::kNone;
  /// Combines every element in rank order, ((x0 (+) x1) (+) x2) ..., in one sweep: all of these
  /// have the same bits, and `(+)` needn't commute. Proved by `rondo verify` (verify/rank_order.h).
  bool keeps_rank_order = false;
  /// How long each row is, `count` elements in all; null: all alike.
  std::vector<std::size_t> (*counts)(const schedule::Request& request, std::size_t count) = nullptr;
};

std::span<const Algorithm> all();
/// Null where there is none of that name for the collective.
const Algorithm* find(schedule::Collective collective, std::string_view name);

/// To be asked before it builds: whether the rows of `request`, which it has been asked for, have
/// numbers. Errors: Unsupported: a world that is too large for it.
Status check_rows(const Algorithm& algorithm, const schedule::Request& request);

}  // namespace rondo::algorithms
