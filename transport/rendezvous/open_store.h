#pragma once

// The store that belongs to the way this process was started.
// Threads: thread-safe; the store it returns is used by one thread at a time.

#include <memory>

#include "transport/rendezvous/launch.h"
#include "transport/rendezvous/store.h"

namespace rondo::rendezvous {

/// Of a launch that complete_launch has completed. A world of one gets a store in its own memory.
/// Process 0 of `rondo run` also starts the server, which then lives as long as the process.
/// Errors: Timeout, System (the port is in use), Mismatch (another job's store), Unsupported.
Result<std::unique_ptr<Store>> open_store(const Launch& launch, Deadline deadline);

}  // namespace rondo::rendezvous
