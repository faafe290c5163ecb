#pragma once

// A communicator for some ranks of another one. Who belongs to which, and where its peers listen,
// is exchanged by calls of the old one, so no store is needed and every rank learns of a failure.
// Threads: as the engine's handle.

#include <memory>
#include <optional>

#include "collectives/communicator/engine.h"
#include "core/status.h"

namespace rondo::communicator {

/// Null where `color` is nothing. Collective over `parent`.
/// Errors: Timeout, System (a rank can't listen or connect: on every rank, and the parent stays
/// usable); those of the parent's calls, as of any call on some ranks alone.
Result<std::shared_ptr<Engine>> split(Engine& parent, std::optional<int> color, int key);

}  // namespace rondo::communicator
