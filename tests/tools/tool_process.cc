#include "tests/tools/tool_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace rondo::tool {

Outcome shell(const std::string& command) {
  const std::string line = "RONDO=" RONDO_TOOL "; (" + command + ") 2>&1";
  FILE* pipe = popen(line.c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> part{};
  for (std::size_t got; (got = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    outcome.output.append(part.data(), got);
  }
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

Outcome rondo(const std::string& arguments) { return shell(RONDO_TOOL " " + arguments); }

std::string on_terminal(const std::vector<std::string>& words) {
  std::vector<char*> arguments = {const_cast<char*>(RONDO_TOOL)};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    execv(RONDO_TOOL, arguments.data());
    _exit(99);
  }
  std::string seen;
  std::array<char, 4096> part{};
  for (ssize_t got; (got = read(terminal, part.data(), part.size())) > 0;) {
    seen.append(part.data(), static_cast<std::size_t>(got));
  }
  close(terminal);
  waitpid(pid, nullptr, 0);
  return seen;
}

void expect_usage_error(const std::string& arguments, const std::string& message) {
  const Outcome outcome = rondo(arguments);
  EXPECT_EQ(outcome.exit_code, 2) << arguments;
  EXPECT_THAT(outcome.output, testing::HasSubstr(message)) << arguments;
  EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 1)
      << arguments << " is answered with one line:\n"
      << outcome.output;
}

TemporaryFile::TemporaryFile() {
  std::string name = (std::filesystem::temp_directory_path() / "rondo_tool_XXXXXX").string();
  close(mkstemp(name.data()));
  path_ = name;
}

void TemporaryFile::put(const std::string& text) const { std::ofstream(path_) << text; }

std::string TemporaryFile::content() const {
  std::ifstream file(path_);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace rondo::tool
