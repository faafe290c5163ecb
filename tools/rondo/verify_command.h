#pragma once

// `rondo verify`: proves the built-in algorithms right, world size by world size, on this machine.

namespace CLI {
class App;
}

namespace rondo::tool {

/// Adds the subcommand to `app`. Its callback throws CLI::RuntimeError with an exit code other
/// than 0.
void add_verify_command(CLI::App& app);

}  // namespace rondo::tool
