#include "tools/rondo/info_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tools/rondo/bench/environment.h"
#include "tools/rondo/output.h"

namespace rondo::tool {

void add_info_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", "Show what this build and this machine have");
  command->footer("\nExample:\n  RONDO_TRANSPORT=tcp rondo info\n");
  command->callback([] {
    for (const auto& [name, value] : tool_info()) {
      write_output(fmt::format("{:<18} {}\n", name, value));
    }
  });
}

}  // namespace rondo::tool
