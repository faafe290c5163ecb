#include "tools/rondo/bench/peer_run.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "rondo/version.h"
#include "tools/rondo/bench/local_ranks.h"
#include "tools/rondo/bench/peer_sources.h"

namespace rondo::tool {
namespace {

/// The folder of librondo, which this process has loaded.
std::string library_folder() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&version), &found) == 0) return {};
  return std::filesystem::path(found.dli_fname).parent_path().string();
}

/// Variables of the script, unless the user has set them.
void set_variables(const std::string& script) {
  const auto set = [](const char* name, const std::string& value) {
    if (!value.empty()) setenv(name, value.c_str(), 0);
  };
  set("RONDO_PEERS_TOOL", own_program());
  set("RONDO_PEERS_LIBRARY", library_folder());
  set("RONDO_PEERS_INCLUDE", peers_include(script).string());
  set("RONDO_PEERS_BUILD", peers_build(script).string());
}

/// A started process, which is ended where nobody has waited for it.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ < 0) return;
    kill(pid_, SIGTERM);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Its status.
  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Starts `words` with its output into the pipe's end `output`.
pid_t start(const std::vector<std::string>& words, int output) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t pid = -1;
  const int problem =
      posix_spawn(&pid, pointers.front(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem == 0) return pid;
  throw std::runtime_error(fmt::format("can't run {}: {}", words.front(), std::strerror(problem)));
}

void give_lines(std::FILE* output, const std::function<void(std::string_view)>& take) {
  std::array<char, 1024> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), output) != nullptr) {
    std::string_view text(line.data());
    if (text.ends_with('\n')) text.remove_suffix(1);
    take(text);
  }
}

}  // namespace

void run_peers(const std::string& script, const std::vector<std::string>& arguments,
               const std::function<void(std::string_view)>& take) {
  set_variables(script);
  std::vector<std::string> words = {script};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("can't make a pipe: {}", std::strerror(errno)));
  }
  const std::unique_ptr<std::FILE, CloseFile> output(fdopen(ends[0], "r"));
  std::unique_ptr<std::FILE, CloseFile> input(fdopen(ends[1], "w"));
  Child child(start(words, ends[1]));
  input.reset();
  give_lines(output.get(), take);
  const int status = child.wait();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw std::runtime_error(fmt::format("{} failed ({} {}); what it said stands above", script,
                                       WIFEXITED(status) ? "exit code" : "signal",
                                       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)));
}

}  // namespace rondo::tool
