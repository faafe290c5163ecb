#pragma once

// A call takes its time on each rank; what is shown is one of these times, or their mean.
// Threads: any.

#include <vector>

#include "rondo/communicator.h"
#include "tools/rondo/bench/result.h"

namespace rondo::tool {

/// The times of calls on this rank become those of all ranks. Called by every rank with the same
/// `time_of`, for as many calls; every rank gets the same. Throws rondo::Error.
void combine_over_ranks(Communicator& communicator, TimeOf time_of, std::vector<double>& times_us);

}  // namespace rondo::tool
