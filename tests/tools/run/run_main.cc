// A program with the `run` command alone, for tests of the launcher.

#include <fmt/format.h>

#include "tools/rondo/run/run_command.h"

int main(int argc, char** argv) {
  CLI::App app("run_main");
  app.require_subcommand(1);
  rondo::tool::add_run_command(app, {argv, argv + argc});
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::RuntimeError& result) {
    return result.get_exit_code();
  } catch (const CLI::Error& mistake) {
    return app.exit(mistake);
  }
}
