#pragma once

// World sizes on the command line: "8", or "1-128".
// Threads: any.

#include <string_view>

namespace rondo::tool {

struct WorldRange {
  int first = 1;
  int last = 1;
};

/// Errors: UsageError (not a range, or not within 1 to 4096).
WorldRange parse_world_range(std::string_view text);

}  // namespace rondo::tool
