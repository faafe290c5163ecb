#include "tools/rondo/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>

#include "rondo/version.h"
#include "tools/rondo/bench/bench_command.h"
#include "tools/rondo/bench/names.h"
#include "tools/rondo/info_command.h"
#include "tools/rondo/run/run_command.h"
#include "tools/rondo/verify_command.h"

namespace rondo::tool {
namespace {

/// The subcommand that was being parsed, or the program itself.
const CLI::App& command_of(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

std::vector<std::string> allowed_words(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(sub->get_name());
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional()) words.push_back(option->get_name(false, true));
  }
  return words;
}

std::unique_ptr<CLI::App> make_command_line(const std::vector<std::string>& arguments) {
  auto app = std::make_unique<CLI::App>("Rondo: collectives for many processes and hosts", "rondo");
  app->footer("\n`rondo COMMAND --help` explains a command, with examples.\n");
  app->set_version_flag("--version", std::string("rondo ") + version());
  app->require_subcommand(1);
  add_bench_command(*app, arguments);
  add_info_command(*app);
  add_run_command(*app, arguments);
  add_verify_command(*app);
  return app;
}

std::string describe_mistake(const CLI::App& app, const CLI::Error& mistake) {
  const CLI::App& command = command_of(app);
  const std::string name = &command == &app ? "rondo" : "rondo " + command.get_name();
  std::string text = fmt::format("{}: {}", name, mistake.what());
  const auto kind = static_cast<CLI::ExitCodes>(mistake.get_exit_code());
  if (kind == CLI::ExitCodes::ExtrasError || kind == CLI::ExitCodes::RequiredError) {
    text += fmt::format(" (allowed: {})", fmt::join(allowed_words(command), ", "));
  }
  return text;
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  const auto app = make_command_line(arguments);
  try {
    // CLI11 takes them last first, without the program.
    app->parse(std::vector<std::string>(arguments.rbegin(), std::prev(arguments.rend())));
    return 0;
  } catch (const CLI::RuntimeError& result) {
    return result.get_exit_code();  // the command has said what there is to say
  } catch (const CLI::Success& request) {
    return app->exit(request);  // --help, --version
  } catch (const CLI::Error& mistake) {
    fmt::print(stderr, "{}\n", describe_mistake(*app, mistake));
    return kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rondo: {}\n", error.what());
    return kExitFailure;
  }
}

}  // namespace rondo::tool
