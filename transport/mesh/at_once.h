#pragma once

// What all places of a process do at the same time, for they may wait for each other.

#include <cstddef>
#include <functional>

#include "core/status.h"

namespace rondo::transport {

/// Runs `task` with 0 to `count` - 1, the first in the caller's thread and each other one in its
/// own. None begins before all threads are there. The first error, by number.
/// Errors: the tasks', System (a thread can't be made; no task has run).
Status at_once(std::size_t count, const std::function<Status(std::size_t)>& task);

}  // namespace rondo::transport
