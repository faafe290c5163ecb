#pragma once

// Worlds that meet by a unique id: "10.0.0.1:40123/5f3c...", the address of process 0's store and
// the job's number, which strangers can't guess.

#include "core/status.h"
#include "rondo/bootstrap.h"
#include "transport/rendezvous/launch.h"

namespace rondo::communicator {

/// Errors: InvalidArgument (no id; a process that isn't one of them).
Result<rendezvous::Launch> launch_of(const Bootstrap& bootstrap);

/// All have met by the unique id of the launch, which is for one world, or won't any more: what
/// waits for them here ends.
void forget_id(const rendezvous::Launch& launch);

}  // namespace rondo::communicator
