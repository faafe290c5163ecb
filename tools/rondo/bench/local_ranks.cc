#include "tools/rondo/bench/local_ranks.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace rondo::tool {

std::string launcher_variable() {
  for (const char* name : {"RONDO_RANK", "RONDO_WORLD", "PMIX_RANK", "PMIX_NAMESPACE"}) {
    if (std::getenv(name) != nullptr) return name;
  }
  // A shell in an allocation of one task has these, too, and may start what it likes.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* size = std::getenv(name);
    if (size != nullptr && std::string_view(size) != "1") return name;
  }
  return {};
}

std::vector<std::string> under_rondo_run(const std::string& program, int ranks,
                                         const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {
      program,        "run", "-n",   std::to_string(ranks), "--no-prefix", "--terminal",
      "--ranks-tell", "--",  program};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == "--local") {
      ++i;  // and its value
    } else if (!arguments[i].starts_with("--local=")) {
      command.push_back(arguments[i]);
    }
  }
  return command;
}

void name_own_output(std::vector<std::string>& arguments, std::span<const std::string_view> names,
                     const std::string& path) {
  constexpr std::string_view kOwn = "/dev/stdout";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (const std::string_view name : names) {
      const std::string flag(name);
      if (arguments[i] == flag && i + 1 < arguments.size() && arguments[i + 1] == path)
        arguments[i + 1] = kOwn;
      for (const std::string& joined : {flag + "=", flag})
        if (arguments[i] == joined + path) arguments[i] = joined + std::string(kOwn);
    }
  }
}

std::string replace_process(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
  return "can't start " + command[0] + ": " + std::generic_category().message(errno);
}

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace rondo::tool
