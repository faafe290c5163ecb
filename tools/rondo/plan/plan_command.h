#pragma once

// `rondo plan`: what a collective would do in a world that needn't exist, and why.

namespace CLI {
class App;
}

namespace rondo::tool {

void add_plan_command(CLI::App& app);

}  // namespace rondo::tool
