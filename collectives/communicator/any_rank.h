#pragma once

// One rank's answer that all go by, so that none goes on alone.

#include "collectives/communicator/engine.h"
#include "core/status.h"

namespace rondo::communicator {

/// Whether `here` is true on any rank; the same on all. A collective call. Errors: as a collective
/// call. Threads: the place's.
Result<bool> any_rank(Engine& engine, bool here);

}  // namespace rondo::communicator
