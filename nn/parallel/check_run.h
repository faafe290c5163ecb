#pragma once

// What can be said against a run before any place has begun it.

#include "core/status.h"
#include "rondo/nn/parallel_executor.h"

namespace rondo::nn {

/// InvalidArgument for a feed or a fetch that doesn't suit the program. Nothing has been exchanged
/// then, so that the caller may mend it and run again while the other ranks wait.
Status check_run(const Block& block, const Feed& feed, const std::vector<VarName>& fetch,
                 FetchMode mode);

}  // namespace rondo::nn
