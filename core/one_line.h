#pragma once

// Texts of others in errors and logs. Threads: any.

#include <string>

namespace rondo {

/// Line ends, and what else a terminal takes for a command, as '?'.
std::string on_one_line(std::string text);

}  // namespace rondo
