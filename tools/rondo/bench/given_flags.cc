#include "tools/rondo/bench/given_flags.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace rondo::tool {

void overrule_variables(const CLI::App& command, std::span<const FlagOfVariable> flags) {
  for (const FlagOfVariable& given : flags) {
    if (command.count(given.flag) > 0) unsetenv(given.variable);
  }
}

}  // namespace rondo::tool
