#pragma once

// World sizes on the command line: "8", "1-128", or "1-512:4" for every fourth of them.
// Threads: any.

#include <string_view>

namespace rondo::tool {

struct WorldRange {
  int first = 1;
  int last = 1;
  int step = 1;
};

/// Errors: UsageError (not a range, or not within 1 to 65536).
WorldRange parse_world_range(std::string_view text);

}  // namespace rondo::tool
