#pragma once

// Runs bench/peers/ratios, which builds the loops through Rondo and the other libraries and runs
// them in turn.
// Threads: one at a time.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::tool {

/// Runs `script` with `arguments` and gives each line of its output to `take`; its errors go to
/// this program's. The loops find this program, its library and its headers by the environment that
/// this sets for the script. Errors: std::runtime_error (it can't be run; it failed).
void run_peers(const std::string& script, const std::vector<std::string>& arguments,
               const std::function<void(std::string_view)>& take);

}  // namespace rondo::tool
