#include "tools/rondo/run/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/unique_fd.h"
#include "tools/rondo/run/run_error.h"

namespace rondo::tool {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// Descriptors 0, 1 and 2 from the plan's. All sources are above 2 or already in place.
bool place_standard_streams(const ChildPlan& plan) {
  return dup2(plan.stdin_fd, 0) >= 0 && dup2(plan.stdout_fd, 1) >= 0 &&
         dup2(plan.stderr_fd, 2) >= 0;
}

/// In the child, up to its program; returns only where that fails.
void become_program(const ChildPlan& plan, pid_t parent, char* const* command,
                    char* const* environment) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kExitCannotRun);  // it died before the line above
  if (!place_standard_streams(plan)) return;
  if (plan.kept_fd >= 0) fcntl(plan.kept_fd, F_SETFD, 0);
  signal(SIGPIPE, SIG_DFL);
  // A terminal may stop (stty tostop) whoever writes to it from another process group than its own.
  // Ignored, and not blocked: shells start their programs with an empty mask.
  if (plan.ignores_sigttou) signal(SIGTTOU, SIG_IGN);
  sigprocmask(SIG_SETMASK, &plan.blocked, nullptr);
  if (plan.open_files) setrlimit(RLIMIT_NOFILE, &*plan.open_files);
  execvpe(command[0], command, environment);
}

RunError cannot_start(const std::string& program, int errno_value) {
  const int code =
      errno_value == ENOENT || errno_value == ENOTDIR ? kExitNotFound : kExitNotExecutable;
  return RunError(code, "cannot start '" + program + "': " + std::strerror(errno_value));
}

}  // namespace

RunError system_failure(const std::string& what, int errno_value) {
  return RunError(kExitCannotRun, what + ": " + std::strerror(errno_value));
}

pid_t start_child(const ChildPlan& plan) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw system_failure("cannot make a pipe", errno);
  const UniqueFd outcome(ends[0]);
  UniqueFd report(ends[1]);
  const auto command = pointers_to(plan.command);
  const auto environment = pointers_to(plan.environment);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw system_failure("cannot start another process", errno);
  if (pid == 0) {
    become_program(plan, parent, command.data(), environment.data());
    const int failure = errno;
    (void)!write(report.get(), &failure, sizeof failure);
    _exit(kExitNotFound);
  }
  setpgid(pid, pid);  // here too: whoever comes first, the group exists from now on
  report.reset();
  int failure = 0;
  ssize_t bytes = 0;
  do {
    bytes = read(outcome.get(), &failure, sizeof failure);
  } while (bytes < 0 && errno == EINTR);
  if (bytes <= 0) return pid;  // closed by exec
  waitpid(pid, nullptr, 0);
  throw cannot_start(plan.command.front(), failure);
}

}  // namespace rondo::tool
