#pragma once

// `rondo bench`: measures and checks the collectives between all ranks that were started.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rondo::tool {

/// Adds the subcommand to `app`; `arguments` are main's, for --local. Its callback throws
/// CLI::RuntimeError with an exit code other than 0.
void add_bench_command(CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace rondo::tool
