#pragma once

// Who takes part, for the head of the table: what nccl-tests says under "Using devices".
// Threads: any.

#include <string>

#include "rondo/communicator.h"

namespace rondo::tool {

/// One line for each rank: "#  Rank  0 Group  0 Pid   4242 on       node device  0 [host] host".
/// Called by every rank; every rank gets all lines. Throws rondo::Error.
std::string rank_lines(Communicator& communicator);

}  // namespace rondo::tool
