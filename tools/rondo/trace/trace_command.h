#pragma once

// `rondo trace`: puts the trace files of a job's ranks together and says which rank is slow, and
// why.

namespace CLI {
class App;
}

namespace rondo::tool {

/// Adds the subcommand to `app`. Its callback throws CLI::RuntimeError with an exit code other
/// than 0.
void add_trace_command(CLI::App& app);

}  // namespace rondo::tool
