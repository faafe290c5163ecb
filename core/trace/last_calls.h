#pragma once

// The last calls of one rank as one line for the log, for whoever reads why a call failed where no
// file was asked for. Threads: any.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ticks.h"
#include "core/trace/call_record.h"
#include "core/trace/series.h"

namespace rondo::trace {

/// So many are told: a line that can still be read.
inline constexpr std::size_t kLastCallsTold = 8;

/// "#7 all_reduce 4096 bytes ring shm 12.3 us (waited 9.1 us, longest for rank 2); ...", the newest
/// last: number, collective, bytes of the larger buffer, algorithm, transport, from its beginning
/// to its end, and of that the wait with the rank that was waited for longest; what it failed with.
/// Empty: there was no call.
std::string last_calls(const std::vector<CallRecord>& records,
                       const std::vector<const Series*>& series, const TickScale& scale);

}  // namespace rondo::trace
