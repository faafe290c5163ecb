#pragma once

// `rondo bench --local N`: the same command line, started N times on this machine.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::tool {

/// The variable that tells that a launcher has started this process as a rank; empty: none.
std::string launcher_variable();

/// The command line `arguments` (program first) without --local, under `rondo run -n ranks`. What a
/// rank has said of its failure is all that is said: it needs no launcher's line behind it.
std::vector<std::string> under_rondo_run(const std::string& program, int ranks,
                                         const std::vector<std::string>& arguments);

/// Of a command line for ranks: the value `path` of a flag, one of `names`, becomes /dev/stdout.
/// What a shell has led this program's output to their output goes to by way of a launcher.
void name_own_output(std::vector<std::string>& arguments, std::span<const std::string_view> names,
                     const std::string& path);

/// Replaces this process by `command`; the error's text where that fails.
std::string replace_process(const std::vector<std::string>& command);

/// This program's file.
std::string own_program();

}  // namespace rondo::tool
