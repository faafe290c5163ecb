#pragma once

// One rank's trace file as it was written by a communicator (core/trace/chrome_export.h), checked:
// what can't be is refused with one line that names the file and what is wrong.

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/rondo/trace/covered_time.h"

namespace rondo::tool {

/// A collective; times are nanoseconds of the rank's own clock.
struct TracedCall {
  std::string collective;
  std::string result;
  int root = 0;
  std::int64_t count = 0;
  std::int64_t entered_ns = 0;
  std::int64_t begun_ns = 0;
  std::int64_t done_ns = 0;
  std::int64_t wait_ns = 0;
  std::int64_t transfer_ns = 0;
  std::int64_t reduce_ns = 0;
  int waited_longest_for = -1;
  int link_peer = -1;
  std::int64_t link_ns = 0;
  std::int64_t link_bytes = 0;
};

struct RankTrace {
  std::string path;
  int rank = 0;
  int world = 1;
  std::string host;
  std::string clock;  ///< equal where two ranks' clocks are one
  std::string job;
  std::string error;                         ///< what the calls were written for
  std::map<std::int64_t, TracedCall> calls;  ///< by sequence; without sends and receives
  std::vector<TimeSpan> messages;            ///< sends and receives, entered to done
  nlohmann::json events;                     ///< all of the file
};

/// Errors: std::runtime_error.
RankTrace parse_trace(const std::string& path, const std::string& text);

}  // namespace rondo::tool
