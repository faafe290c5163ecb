#include "tools/rondo/run/rank_process.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "tools/rondo/run/run_error.h"

namespace rondo::tool {
namespace {

/// glibc 2.36 has pidfd_open only in a header that clashes with <signal.h> elsewhere.
int open_pidfd(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

}  // namespace

RankProcess::RankProcess(pid_t pid) : pid_(pid), ended_(open_pidfd(pid)) {
  if (ended_.valid()) return;
  const int error = errno;
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  throw system_failure("cannot watch a rank's process (pidfd_open)", error);
}

RankProcess::RankProcess(RankProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      ended_(std::move(other.ended_)),
      running_(std::exchange(other.running_, false)),
      kill_leftovers_at_(std::exchange(other.kill_leftovers_at_, std::nullopt)) {}

RankProcess::~RankProcess() {
  if (running_ || kill_leftovers_at_) kill(-pid_, SIGKILL);
  if (running_) waitpid(pid_, nullptr, 0);
}

std::optional<int> RankProcess::reap(Time now) {
  if (!running_) return std::nullopt;
  int status = 0;
  const pid_t ended = waitpid(pid_, &status, WNOHANG);
  // Somebody else has taken its status: how it ended can't be known any more.
  const bool is_taken = ended < 0 && errno == ECHILD;
  if (ended != pid_ && !is_taken) return std::nullopt;
  if (is_taken) status = W_EXITCODE(kExitCannotRun, 0);
  running_ = false;
  ended_.reset();
  // While a member lives, the group's number can't be given to anybody else.
  if (kill(-pid_, SIGTERM) == 0) kill_leftovers_at_ = now + kGrace;
  return status;
}

void RankProcess::signal(int number) const {
  if (running_ || kill_leftovers_at_) kill(-pid_, number);
}

bool RankProcess::has_leftovers(Time now) {
  if (!kill_leftovers_at_) return false;
  while (waitpid(-pid_, nullptr, WNOHANG) > 0) {
  }
  const int number = now >= *kill_leftovers_at_ ? SIGKILL : 0;
  if (kill(-pid_, number) != 0) kill_leftovers_at_.reset();
  return kill_leftovers_at_.has_value();
}

}  // namespace rondo::tool
