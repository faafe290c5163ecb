#pragma once

// One rank's part of `rondo bench`: all calls of the sweep, the table, the file and the comparison
// with a baseline.
// Threads: one per rank.

#include "rondo/communicator.h"
#include "tools/rondo/bench/options.h"

namespace rondo::tool {

/// The exit code of one rank: 0, kExitFailure where a result is wrong or a file can't be used, and
/// on rank 0 kExitSlower. `bound`: the rank has a core of its own. Throws rondo::Error, UsageError,
/// std::runtime_error.
int run_bench_rank(Communicator& communicator, const BenchOptions& options, bool bound);

}  // namespace rondo::tool
