#include "tools/rondo/run/run_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "tools/rondo/bench/names.h"
#include "tools/rondo/run/launcher.h"
#include "tools/rondo/run/run_error.h"
#include "tools/rondo/run/standard_streams.h"

namespace rondo::tool {
namespace {

constexpr const char* kRanksOption = "-n";
constexpr const char* kTimeoutOption = "--timeout";

/// As it was typed: the numbers are read by us, for one clear line about what is wrong.
struct Words {
  std::string ranks;
  std::string timeout_s;
  std::vector<std::string> program;  ///< CLI11 takes "[a,b]" for a list: good for help, not to run
  bool no_prefix = false;
  bool tag_output = false;
  bool terminal = false;
  bool ranks_tell = false;
};

RunError bad_usage(const std::string& message) { return RunError(kExitBadUsage, message); }

template <typename Number>
bool parse(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end;
}

/// The part of the command line that starts with the program, word by word as it was typed.
std::vector<std::string> program_of(const std::vector<std::string>& arguments) {
  auto word = std::find(arguments.begin() + 1, arguments.end(), "run");
  if (word != arguments.end()) ++word;
  while (word != arguments.end() && word->starts_with('-') && *word != "--") {
    const bool value_follows = *word == kRanksOption || *word == kTimeoutOption;
    word += value_follows && word + 1 != arguments.end() ? 2 : 1;
  }
  if (word != arguments.end() && *word == "--") ++word;
  return {word, arguments.end()};
}

RunOptions options_of(const Words& words, const std::vector<std::string>& arguments) {
  RunOptions options;
  if (words.ranks.empty()) throw bad_usage("say how many ranks: rondo run -n 4 -- program");
  if (!parse(words.ranks, options.ranks) || options.ranks < 1 || options.ranks > kMaxRanks) {
    throw bad_usage(
        fmt::format("-n {}: expected a number of ranks from 1 to {}", words.ranks, kMaxRanks));
  }
  if (!words.timeout_s.empty()) {
    double seconds = 0;
    if (!parse(words.timeout_s, seconds) || !(seconds > 0 && seconds < 1e9)) {
      throw bad_usage(fmt::format("--timeout {}: expected seconds, more than 0", words.timeout_s));
    }
    options.timeout = std::chrono::duration<double>(seconds);
  }
  if (words.no_prefix && words.tag_output) {
    throw bad_usage("--no-prefix and --tag-output exclude each other");
  }
  if (words.no_prefix) options.prefix = Prefix::kNone;
  if (words.tag_output) options.prefix = Prefix::kRankAndStream;
  options.terminal = words.terminal;
  if (words.ranks_tell) options.highest_told_code = kExitSlower;
  options.command = program_of(arguments);
  if (options.command.empty()) throw bad_usage("no program given: rondo run -n 4 -- program");
  return options;
}

int run(const Words& words, const std::vector<std::string>& arguments) {
  try {
    open_closed_streams();
    return Launcher(options_of(words, arguments)).run();
  } catch (const RunError& error) {
    fmt::print(stderr, "rondo run: {}\n", error.what());
    return error.exit_code();
  }
}

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& arguments) {
  CLI::App* command = app.add_subcommand(
      "run", "Start a program as N ranks on this machine: rondo run -n N -- program [arguments]");
  auto words = std::make_shared<Words>();
  command->add_option(kRanksOption, words->ranks, "How many ranks (1 to 4096)");
  command->add_option(kTimeoutOption, words->timeout_s, "End the run after this many seconds");
  command->add_flag("--no-prefix", words->no_prefix, "Leave the rank out in front of each line");
  command->add_flag("--tag-output", words->tag_output, "Say [rank out] or [rank err] there");
  command->add_flag("--terminal", words->terminal,
                    "Where stderr is a terminal, leave it to rank 0: its progress line is seen");
  command->add_flag("--ranks-tell", words->ranks_tell,
                    "Leave out the line about a rank that exits with code 1, 2 or 3, if one that "
                    "does has written anything: rondo's own commands say why");
  command->add_option("program", words->program, "The program, and its own arguments");
  command->positionals_at_end();  // the program's options aren't ours, with and without "--"
  command->footer(
      "\nRank 0 gets this program's stdin, unless it is a terminal. When a rank fails, the others\n"
      "get 3 s to report, then SIGTERM, 3 s later SIGKILL; the exit code is that of the first\n"
      "failure (128 + signal). Ctrl-C goes to the ranks; a second one kills them. Signals\n"
      "that are ignored from the start, as SIGHUP is under nohup, stay so.\n\n"
      "Example: rondo run -n 4 -- ./train --epochs 3");
  command->callback([words, arguments] {
    const int code = run(*words, arguments);
    if (code != 0) throw CLI::RuntimeError(code);
  });
}

}  // namespace rondo::tool
