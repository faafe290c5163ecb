#pragma once

// Files that appear as a whole or not at all. Threads: any.

#include <string>
#include <string_view>

#include "core/status.h"

namespace rondo::trace {

/// Writes beside `path` and renames: whoever reads it sees the old contents or the new. Errors:
/// System, naming the file and the reason; nothing is left then.
Status write_file(const std::string& path, std::string_view text);

}  // namespace rondo::trace
