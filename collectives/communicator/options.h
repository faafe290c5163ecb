#pragma once

// CommunicatorOptions as they are in force: an option left at its default takes its RONDO_*
// variable's value.

#include "core/status.h"
#include "rondo/communicator.h"

namespace rondo::communicator {

/// Errors: InvalidArgument, naming the option or variable, its value and what is allowed.
Result<CommunicatorOptions> resolve(CommunicatorOptions options);

}  // namespace rondo::communicator
