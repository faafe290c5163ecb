#pragma once

// `rondo run`: starts a program as the ranks of one world on this machine.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rondo::tool {

/// Adds the subcommand to `app`; `arguments` are main's, so that the program's own words stay as
/// they are. Its callback throws CLI::RuntimeError with an exit code other than 0: the first failed
/// rank's (128 + signal), 2 for a wrong command line, 124 after --timeout, 126 and 127 for a
/// program that can't be started.
void add_run_command(CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace rondo::tool
