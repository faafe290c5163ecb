#pragma once

// How far the clocks of different hosts are apart, found out afterwards from calls alone: nothing
// that a rank had to contribute can have left a collective before that rank began it. Each call of
// two ranks bounds the difference of their clocks from both sides, by its own duration; the
// narrowest bounds of all calls count, as the round trip of least delay does in NTP (Mills, RFC
// 5905). Ranks of one host share a clock.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/rondo/trace/trace_file.h"

namespace rondo::tool {

struct ClockOffset {
  std::int64_t ns = 0;         ///< to be added to an instant of that clock
  std::int64_t within_ns = 0;  ///< the true offset is at most so far from `ns`; 0 of kUnknown
  enum class Kind : std::uint8_t {
    kOwn,  ///< the clock that the others are compared with
    kBounded,
    kUnknown,       ///< no call tells, or only from one side
    kInconsistent,  ///< calls contradict each other: a clock was set, or drifts
  } kind = Kind::kOwn;
};

/// By clock, of the ranks of one job, against that of the first of them.
std::map<std::string, ClockOffset> estimate_offsets(const std::vector<const RankTrace*>& ranks);

/// The same of several jobs' ranks, against the clock of the first job's first rank as far as jobs
/// have clocks in common, maybe by way of others: the narrowest of all ways. Those of jobs that
/// have none with it are against the first of theirs.
std::map<std::string, ClockOffset> estimate_offsets(
    const std::vector<std::vector<const RankTrace*>>& jobs);

/// Whether rank `from` must have begun the call before rank `to` can have left it.
bool must_precede(const TracedCall& call, int from, int to);

}  // namespace rondo::tool
