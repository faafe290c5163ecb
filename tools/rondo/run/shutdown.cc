#include "tools/rondo/run/shutdown.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstring>
#include <utility>

namespace rondo::tool {

int exit_code_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

std::string describe_end(int rank, pid_t pid, int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int number = WTERMSIG(wait_status);
    return fmt::format("rank {} (pid {}) was killed by signal {} ({})", rank, pid, number,
                       strsignal(number));
  }
  return fmt::format("rank {} (pid {}) exited with code {}", rank, pid, WEXITSTATUS(wait_status));
}

std::optional<std::string> Shutdown::rank_ended(int rank, pid_t pid, int wait_status, Time now) {
  const int code = exit_code_of(wait_status);
  if (code == 0 || (failed_ && !is_cause(wait_status, now))) return std::nullopt;
  if (exit_code_ == 0 || failed_) exit_code_ = code;
  if (!failed_) failed_at_ = now;
  failed_ = true;
  first_was_killed_ = WIFSIGNALED(wait_status);
  if (!terminate_at_ && !kill_at_) terminate_at_ = now + kGrace;
  return describe_end(rank, pid, wait_status);
}

bool Shutdown::is_cause(int wait_status, Time now) const {
  const bool signalled_by_us = kill_at_.has_value();
  return WIFSIGNALED(wait_status) && !first_was_killed_ && !signalled_by_us &&
         now - failed_at_ < kSettle;
}

void Shutdown::stop(int exit_code, Time now) {
  if (exit_code_ == 0) exit_code_ = exit_code;
  if (!kill_at_) terminate_at_ = now;
}

void Shutdown::kill(int exit_code, Time now) {
  if (exit_code_ == 0) exit_code_ = exit_code;
  terminate_at_.reset();
  kill_at_ = now;
}

bool Shutdown::is_asked_again(Time now) {
  if (!asked_at_) asked_at_ = now;
  return now - *asked_at_ >= kOneWish;
}

int Shutdown::due_signal(Time now) {
  if (terminate_at_ && now >= *terminate_at_) {
    terminate_at_.reset();
    kill_at_ = now + kGrace;
    return SIGTERM;
  }
  if (kill_at_ && now >= *kill_at_) {
    kill_at_ = now + kGrace;  // again, for those that somebody forked meanwhile
    return SIGKILL;
  }
  return 0;
}

std::optional<Time> Shutdown::next_due() const { return terminate_at_ ? terminate_at_ : kill_at_; }

}  // namespace rondo::tool
