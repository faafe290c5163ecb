#include "tests/examples/shell.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>

namespace rondo::examples {

Outcome shell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = ::popen(("(" + command + ") 2>&1").c_str(), "r");
  std::array<char, 4096> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) {
    outcome.output.append(piece.data(), got);
  }
  const int status = ::pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

std::string alone(const std::string& arguments) {
  return fmt::format("{} {}", RECOGNIZE_DIGITS, arguments);
}

std::string by_rondo_run(int ranks, const std::string& arguments) {
  return fmt::format("{} run -n {} -- {}", RONDO_TOOL, ranks, alone(arguments));
}

std::string by_mpirun(int ranks, const std::string& arguments) {
  return fmt::format("mpirun.openmpi --allow-run-as-root --oversubscribe -n {} {}", ranks,
                     alone(arguments));
}

bool have_mpirun() { return shell("command -v mpirun.openmpi").exit_code == 0; }

}  // namespace rondo::examples
