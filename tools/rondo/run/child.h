#pragma once

// Starts one program as a child that leads a process group of its own and dies with this process.
// Threads: this process must have one only; the kernel ties the child's life to the thread that
// made it.

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace rondo::tool {

struct ChildPlan {
  std::vector<std::string> command;      ///< looked up in PATH
  std::vector<std::string> environment;  ///< NAME=value
  int stdin_fd = 0;                      ///< what becomes the child's descriptors 0, 1 and 2
  int stdout_fd = 1;
  int stderr_fd = 2;
  int kept_fd = -1;                    ///< stays open under its number; -1: none
  sigset_t blocked{};                  ///< the child's signal mask
  bool ignores_sigttou = false;        ///< and writes to any terminal
  std::optional<rlimit> open_files{};  ///< its limit, where this process has raised its own
};

/// The child's pid, once its program runs. Errors: RunError (127 no such program, 126 not
/// executable, 1 no more processes).
pid_t start_child(const ChildPlan& plan);

}  // namespace rondo::tool
