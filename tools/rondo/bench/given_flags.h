#pragma once

// Flags that say what a variable says as well. Threads: one, before there are others.

#include <span>

namespace CLI {
class App;
}

namespace rondo::tool {

struct FlagOfVariable {
  const char* flag;
  const char* variable;
};

/// Unsets the variable of each of `flags` that is given, for this process and those that it
/// starts: to a communicator an option that equals its default is one that was left out, for which
/// the variable counts.
void overrule_variables(const CLI::App& command, std::span<const FlagOfVariable> flags);

}  // namespace rondo::tool
