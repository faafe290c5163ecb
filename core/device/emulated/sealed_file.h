#pragma once

// A file in memory without a name, whose size nobody can change: who maps it may rely on it.

#include <cstddef>

#include "core/status.h"
#include "core/unique_fd.h"

namespace rondo::device {

/// All zero, and sparse: pages exist once they are written. Errors: System.
Result<UniqueFd> create_sealed_file(const char* name, std::size_t bytes);

}  // namespace rondo::device
