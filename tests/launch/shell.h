#pragma once

// Commands of the launch tests, run by a shell.

#include <string>

namespace rondo::launch {

struct Outcome {
  int exit_code = 0;  ///< 128 + signal where it was killed
  std::string output;
};

/// Runs `command` to its end; its output is that of both streams.
Outcome shell(const std::string& command);
bool have_command(const std::string& name);

}  // namespace rondo::launch
