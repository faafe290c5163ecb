#pragma once

// `rondo bench report`: files of results side by side, as a table and as a picture.

namespace CLI {
class App;
}

namespace rondo::tool {

/// Adds the subcommand to `bench`. Its callback throws CLI::RuntimeError with an exit code other
/// than 0.
void add_report_command(CLI::App& bench);

}  // namespace rondo::tool
