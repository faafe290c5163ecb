#pragma once

// The commit that this program was built from. Threads: any.

#include <string_view>

namespace rondo::tool {

/// "8d1fec33d603", with "-dirty" behind it where the tree had changes; "unknown (...)" of a tree
/// that is no git checkout. As of the build that compiled the program (commit.cmake).
std::string_view commit();

}  // namespace rondo::tool
