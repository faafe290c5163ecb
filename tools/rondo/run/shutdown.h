#pragma once

// When and how a run ends: by itself once all ranks have ended, or, after the first failure, by
// force: the others get kGrace to report what they see, then SIGTERM, kGrace later SIGKILL.
// Pure: the caller owns time and processes. Threads: one at a time.

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace rondo::tool {

inline constexpr std::chrono::seconds kGrace{3};

using Time = std::chrono::steady_clock::time_point;

/// Of a wait status: the exit code, or 128 + the signal that killed it.
int exit_code_of(int wait_status);
/// "rank 2 (pid 4242) was killed by signal 9 (Killed)"
std::string describe_end(int rank, pid_t pid, int wait_status);

class Shutdown {
 public:
  /// A rank has ended. The line to print, where it is the first that failed.
  std::optional<std::string> rank_ended(int rank, pid_t pid, int wait_status, Time now);
  /// Ends the run now, with `exit_code` unless a rank has failed before.
  void stop(int exit_code, Time now);

  /// The signal that the ranks which still run get now, once; 0: none.
  int due_signal(Time now);
  /// When there may be something due; nothing where no end is in sight.
  std::optional<Time> next_due() const;
  /// Of the first failure; 0 where there is none.
  int exit_code() const { return exit_code_; }

 private:
  bool failed_ = false;
  int exit_code_ = 0;
  std::optional<Time> terminate_at_;
  std::optional<Time> kill_at_;
};

}  // namespace rondo::tool
