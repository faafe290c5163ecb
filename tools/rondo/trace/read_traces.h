#pragma once

// The trace files that somebody names on the command line, or that lie in a folder named there.

#include <cstddef>
#include <string>
#include <vector>

#include "tools/rondo/trace/trace_file.h"

namespace rondo::tool {

inline constexpr std::size_t kMostTraceBytes = std::size_t{128} << 20;

/// What is in one rank's file, or comes out of a pipe. Errors: std::runtime_error.
RankTrace read_trace(const std::string& path);
/// Those of the files, and of the files "rondo-trace.*.json" in the folders, that `paths` names; a
/// merged trace in a folder is passed over. Errors: std::runtime_error.
std::vector<RankTrace> read_traces(const std::vector<std::string>& paths);

}  // namespace rondo::tool
