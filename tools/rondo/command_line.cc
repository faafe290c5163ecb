#include "tools/rondo/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>
#include <sstream>

#include "rondo/version.h"
#include "tools/rondo/bench/bench_command.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/info_command.h"
#include "tools/rondo/mistake.h"
#include "tools/rondo/output.h"
#include "tools/rondo/plan/plan_command.h"
#include "tools/rondo/run/run_command.h"
#include "tools/rondo/trace/trace_command.h"
#include "tools/rondo/tune/tune_command.h"
#include "tools/rondo/verify_command.h"

namespace rondo::tool {
namespace {

std::unique_ptr<CLI::App> make_command_line(const std::vector<std::string>& arguments) {
  auto app = std::make_unique<CLI::App>("Rondo: collectives for many processes and hosts", "rondo");
  app->footer("\n`rondo COMMAND --help` explains a command, with examples.\n");
  app->set_version_flag("--version", std::string("rondo ") + version());
  app->require_subcommand(1);
  add_bench_command(*app, arguments);
  add_info_command(*app);
  add_plan_command(*app);
  add_run_command(*app, arguments);
  add_trace_command(*app);
  add_tune_command(*app, arguments);
  add_verify_command(*app);
  return app;
}

int parse_and_run(const std::vector<std::string>& arguments) {
  const auto app = make_command_line(arguments);
  try {
    // CLI11 takes them last first, without the program.
    app->parse(std::vector<std::string>(arguments.rbegin(), std::prev(arguments.rend())));
    return 0;
  } catch (const CLI::RuntimeError& result) {
    return result.get_exit_code();  // the command has said what there is to say
  } catch (const CLI::Success& request) {
    std::ostringstream answer;  // to --help, --version
    const int code = app->exit(request, answer, answer);
    write_output(answer.str());
    return code;
  } catch (const CLI::Error& mistake) {
    fmt::print(stderr, "{}\n", describe_mistake(*app, mistake));
    return kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rondo: {}\n", error.what());
    return kExitFailure;
  }
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  return exit_code_after_output(parse_and_run(arguments));
}

}  // namespace rondo::tool
