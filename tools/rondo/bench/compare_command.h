#pragma once

// `rondo bench compare`: the same loop through Rondo, Open MPI, MPICH and Gloo, in turn.

namespace CLI {
class App;
}

namespace rondo::tool {

/// Adds the subcommand to `bench`. Its callback throws CLI::RuntimeError with an exit code other
/// than 0.
void add_compare_command(CLI::App& bench);

}  // namespace rondo::tool
