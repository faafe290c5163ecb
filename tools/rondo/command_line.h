#pragma once

// The whole command line of `rondo`: its subcommands, and what a mistake in it is answered with.

#include <string>
#include <vector>

namespace rondo::tool {

/// Does what main's `arguments`, program first, ask for, and gives the exit code: 0 done, 1 failed
/// (wrong results, a lost peer, output that can't be written, ...), 2 the command line is wrong;
/// `rondo run` ends with the code of the ranks that it started. An unknown flag or subcommand is
/// named, and answered with those there are.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace rondo::tool
