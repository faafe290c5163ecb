#pragma once

// `rondo info`: what this build and this machine have, for bug reports and for the curious.

namespace CLI {
class App;
}

namespace rondo::tool {

void add_info_command(CLI::App& app);

}  // namespace rondo::tool
