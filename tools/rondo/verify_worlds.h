#pragma once

// The proof of `rondo verify`, world by world, so that somebody who waits can be told how far it
// is.

#include <functional>

#include "rondo/schedules.h"
#include "tools/rondo/world_range.h"

namespace rondo::tool {

/// verify_built_in over `worlds`, on all cores. Calls `before_world` with each size, in order, from
/// one thread at a time; ends at the first world in which something is wrong.
VerifyReport verify_worlds(const WorldRange& worlds, bool mutants, Coverage coverage,
                           const std::function<void(int world)>& before_world);

}  // namespace rondo::tool
