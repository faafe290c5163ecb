#pragma once

// Files that appear as a whole or not at all. Threads: any.

#include <string>
#include <string_view>

#include "core/status.h"

namespace rondo::trace {

/// Writes beside `path` and renames: whoever reads it sees the old contents or the new. Links stay,
/// and what they lead to is replaced; a device, a pipe or what standard output goes to is written
/// as it is. Errors: System, naming the file and the reason; nothing is left then.
Status write_file(const std::string& path, std::string_view text);

}  // namespace rondo::trace
