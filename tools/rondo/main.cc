// The program `rondo`. Exit codes: 0 done, 1 failed (wrong results, a lost peer, ...), 2 the
// command line is wrong; `rondo run` exits with the code of the ranks that it started.

#include <fmt/format.h>

#include <exception>

#include "tools/rondo/bench/names.h"
#include "tools/rondo/command_line.h"

int main(int argc, char** argv) {
  const auto app = rondo::tool::make_command_line({argv, argv + argc});
  try {
    app->parse(argc, argv);
    return 0;
  } catch (const CLI::RuntimeError& result) {
    return result.get_exit_code();  // the command has said what there is to say
  } catch (const CLI::Success& request) {
    return app->exit(request);  // --help, --version
  } catch (const CLI::Error& mistake) {
    fmt::print(stderr, "{}\n", rondo::tool::describe_mistake(*app, mistake));
    return rondo::tool::kExitUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "rondo: {}\n", error.what());
    return rondo::tool::kExitFailure;
  }
}
