#include "tools/rondo/mistake.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tools/rondo/nearest_words.h"

namespace rondo::tool {
namespace {

/// The subcommand (of a subcommand) that was being parsed, or the program itself.
const CLI::App& command_of(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

/// Commands, and flags with all their names: "-h,--help".
std::vector<std::string> allowed_words(const CLI::App& command) {
  std::vector<std::string> words = commands_of(command);
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional()) words.push_back(option->get_name(false, true));
  }
  return words;
}

/// Each of them alone.
std::vector<std::string> single_words(const CLI::App& command) {
  std::vector<std::string> words = commands_of(command);
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) words.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  return words;
}

bool is_flag(const std::string& word) { return word.size() > 1 && word[0] == '-' && word != "--"; }

/// The first of the words that `command` has no use for, and what is said of it; empty: there are
/// none.
std::string describe_unknown(const CLI::App& command) {
  const std::vector<std::string> left = command.remaining();
  if (left.empty()) return {};
  const bool wants_command = command.get_require_subcommand_min() > 0;
  // Behind an unknown command everything is unknown; behind an unknown flag stands its value, but
  // CLI11 may have met other words before.
  auto word = left.begin();
  if (!wants_command) word = std::ranges::find_if(left, is_flag);
  if (word == left.end()) word = left.begin();
  const bool flag = is_flag(*word);
  const char* kind = flag ? "unknown flag" : wants_command ? "unknown command" : "unexpected";
  const std::string name = flag ? word->substr(0, word->find('=')) : *word;
  std::string text = fmt::format("{} '{}'", kind, name);
  const std::vector<std::string> near = nearest_words(name, single_words(command));
  if (!near.empty()) text += fmt::format("; did you mean {}?", fmt::join(near, " or "));
  return text;
}

/// CLI11 says "Could not convert: --bound = abc". All values that it converts are numbers.
std::string describe_conversion(std::string_view text) {
  constexpr std::string_view kBegin = "Could not convert: ";
  constexpr std::string_view kBetween = " = ";
  const std::size_t equals = text.find(kBetween);
  if (!text.starts_with(kBegin) || equals == std::string_view::npos) return std::string(text);
  return fmt::format("{}: expected a number, got '{}'",
                     text.substr(kBegin.size(), equals - kBegin.size()),
                     text.substr(equals + kBetween.size()));
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

}  // namespace

std::string describe_mistake(const CLI::App& app, const CLI::Error& mistake) {
  const auto kind = static_cast<CLI::ExitCodes>(mistake.get_exit_code());
  const CLI::App& chosen = command_of(app);
  if (kind != CLI::ExitCodes::ExtrasError && kind != CLI::ExitCodes::RequiredError) {
    return fmt::format("{}: {}", full_name(chosen), describe_conversion(mistake.what()));
  }
  // A word that isn't understood may stand before the command, and tells more than what is missing
  // for the want of it.
  const CLI::App& command = app.remaining().empty() ? chosen : app;
  const std::string unknown = describe_unknown(command);
  return fmt::format("{}: {} (allowed: {})", full_name(command),
                     unknown.empty() ? mistake.what() : unknown,
                     fmt::join(allowed_words(command), ", "));
}

}  // namespace rondo::tool
