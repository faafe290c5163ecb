#pragma once

// The whole command line of `rondo`: its subcommands, and what a mistake in it is answered with.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace rondo::tool {

/// `arguments` are main's, program first.
std::unique_ptr<CLI::App> make_command_line(const std::vector<std::string>& arguments);

/// One line saying what is wrong; an unknown flag or subcommand is answered with those there are.
std::string describe_mistake(const CLI::App& app, const CLI::Error& mistake);

}  // namespace rondo::tool
