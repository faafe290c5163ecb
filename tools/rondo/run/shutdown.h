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
/// A rank that was told to end by a signal may take this long before its user is told of it.
inline constexpr std::chrono::seconds kPatience{1};
/// A rank killed this long after another one failed may have died first: the system takes its
/// memory back before it tells of the death, and its peers, who notice at once, may exit meanwhile.
inline constexpr std::chrono::milliseconds kSettle{500};
/// Signals so close together are one wish: `timeout` signals its child and then its child's group,
/// systemd sends SIGTERM and SIGHUP. No finger is as quick.
inline constexpr std::chrono::milliseconds kOneWish{200};

using Time = std::chrono::steady_clock::time_point;

/// Of a wait status: the exit code, or 128 + the signal that killed it.
int exit_code_of(int wait_status);
/// "rank 2 (pid 4242) was killed by signal 9 (Killed)"
std::string describe_end(int rank, pid_t pid, int wait_status);

class Shutdown {
 public:
  /// A rank has ended. The line to print, where it is the first that failed, or was killed so
  /// soon after one that exited that its death must be the cause.
  std::optional<std::string> rank_ended(int rank, pid_t pid, int wait_status, Time now);
  /// Ends the run now, with `exit_code` unless a rank has failed before.
  void stop(int exit_code, Time now);
  /// The same by SIGKILL, for somebody who has asked before.
  void kill(int exit_code, Time now);
  /// A signal that ends a run has come: whether somebody asks who has asked before, and not by the
  /// same wish.
  bool is_asked_again(Time now);

  /// The signal that the ranks which still run get now, once; 0: none.
  int due_signal(Time now);
  /// When there may be something due; nothing where no end is in sight.
  std::optional<Time> next_due() const;
  /// Of the first failure; 0 where there is none.
  int exit_code() const { return exit_code_; }

 private:
  bool is_cause(int wait_status, Time now) const;

  bool failed_ = false;
  bool first_was_killed_ = false;
  Time failed_at_;
  int exit_code_ = 0;
  std::optional<Time> asked_at_;  ///< first
  std::optional<Time> terminate_at_;
  std::optional<Time> kill_at_;
};

}  // namespace rondo::tool
