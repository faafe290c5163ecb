#pragma once

// What `rondo trace` prints of a job.

#include <string>

#include "tools/rondo/trace/verdict.h"

namespace rondo::tool {

/// A table with a line per rank, and what is to be said of them.
std::string describe(const JobSummary& job);
/// "slow: rank 2 was late ...", one line.
std::string describe_verdict(const JobSummary& job);

}  // namespace rondo::tool
