#pragma once

// How many descriptors this process may have open: enough for the pipes of all ranks.
// Threads: one at a time.

#include <sys/resource.h>

#include <optional>

namespace rondo::tool {

/// Raises the limit where it is too low for `ranks`, and returns the one before; nothing where it
/// was enough. Errors: RunError.
std::optional<rlimit> allow_open_files(int ranks);

}  // namespace rondo::tool
