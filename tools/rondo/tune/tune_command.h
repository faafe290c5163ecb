#pragma once

// `rondo tune`: measures a set of hosts for choices by predicted cost, and checks predictions and
// choices against measurements.

namespace CLI {
class App;
}

#include <string>
#include <vector>

namespace rondo::tool {

/// `arguments`: the command line, program first.
void add_tune_command(CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace rondo::tool
