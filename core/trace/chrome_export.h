#pragma once

// One rank's calls in the trace event format that chrome://tracing and Perfetto load: a JSON array,
// one event a line, with whatever `rondo trace` needs to put the files of several ranks together
// (docs/tracing.md). Threads: any.
// Source: "Trace Event Format", Google (2016).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ticks.h"
#include "core/trace/call_record.h"
#include "core/trace/series.h"

namespace rondo::trace {

inline constexpr int kFormatVersion = 1;
/// Of each text in a trace: who reads one takes no longer ones.
inline constexpr std::size_t kMostTextBytes = 4096;

/// Whose calls they are.
struct TraceOwner {
  int rank = 0;
  int world = 1;
  long pid = 0;
  std::string host{};
  std::string clock{};  ///< equal where CLOCK_MONOTONIC is the same clock; empty: not known
  std::string job{};    ///< equal on all ranks of a communicator, different between communicators
};

/// A JSON string, quotes included; what is no ASCII text becomes '?'.
std::string quoted(std::string_view text);

/// `pushed`: calls that there were, of which `records` are the last. `error`: why they are written,
/// cut behind kMostTextBytes; empty: because the communicator has ended, or on request.
std::string chrome_trace(const TraceOwner& owner, const std::vector<CallRecord>& records,
                         std::uint64_t pushed, const std::vector<const Series*>& series,
                         const TickScale& scale, std::string_view error);

}  // namespace rondo::trace
