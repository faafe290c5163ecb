#pragma once

// The places that one process of the benchmark takes part with.
// Threads: any.

#include <functional>
#include <string>
#include <vector>

#include "rondo/communicator.h"
#include "rondo/device.h"

namespace rondo::tool {

/// `count` places on devices of `kind`: ranks of one machine take its devices in turn, and again
/// from the first where there are fewer. Errors: UsageError where there is none.
std::vector<Device> places_of(const std::string& kind, int count);

/// Runs `work` for each place, each on a thread of its own; the largest of what they return. Where
/// one of them throws, its world is aborted, so that nobody waits for it, and that is rethrown.
int run_places(std::vector<Communicator>& places, const std::function<int(Communicator&)>& work);

}  // namespace rondo::tool
