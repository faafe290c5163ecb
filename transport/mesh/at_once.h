#pragma once

// What all places of a process do at the same time, for they may wait for each other. Nothing that
// one throws gets past it: the others' threads are the caller's to join.

#include <cstddef>
#include <functional>

#include "core/status.h"

namespace rondo::transport {

/// Runs `task` with 0 to `count` - 1, the first in the caller's thread and each other one in its
/// own. None begins before all threads are there. The first error, by number; a task that throws
/// has failed with what `caught` makes of it.
/// Errors: the tasks', System (a thread can't be made; no task has run).
Status at_once(std::size_t count, const std::function<Status(std::size_t)>& task);

/// What `task` returns, or the error that it throws: a rondo::Error as it is, System where memory
/// has run out, Internal for anything else.
Status caught(const std::function<Status()>& task);

}  // namespace rondo::transport
