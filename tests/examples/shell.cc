#include "tests/examples/shell.h"

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
  return std::string(RECOGNIZE_DIGITS) + " " + arguments;
}

std::string by_rondo_run(int ranks, const std::string& arguments) {
  return std::string(RONDO_TOOL) + " run -n " + std::to_string(ranks) + " -- " + alone(arguments);
}

std::string by_mpirun(int ranks, const std::string& arguments) {
  return "mpirun --allow-run-as-root --oversubscribe -n " + std::to_string(ranks) + " " +
         alone(arguments);
}

bool have_mpirun() { return shell("command -v mpirun").exit_code == 0; }

}  // namespace rondo::examples
