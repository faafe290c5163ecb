#include "tests/launch/shell.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>

namespace rondo::launch {

Outcome shell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen(("(" + command + ") 2>&1").c_str(), "r");
  std::array<char, 4096> block{};
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe)) {
    outcome.output.append(block.data(), got);
  }
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

bool have_command(const std::string& name) { return shell("command -v " + name).exit_code == 0; }

}  // namespace rondo::launch
