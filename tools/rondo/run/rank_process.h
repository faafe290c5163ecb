#pragma once

// One rank's process, and what it has left behind in its process group. Owns both: nothing of them
// survives this object. Threads: one at a time.

#include <sys/types.h>

#include <optional>

#include "core/unique_fd.h"
#include "tools/rondo/run/shutdown.h"

namespace rondo::tool {

class RankProcess {
 public:
  /// Takes over a child that leads its group.
  explicit RankProcess(pid_t pid);
  RankProcess(RankProcess&& other) noexcept;
  RankProcess& operator=(RankProcess&&) = delete;
  ~RankProcess();

  pid_t pid() const { return pid_; }
  bool running() const { return running_; }
  /// Readable once the process has ended; -1 after reap.
  int ended_fd() const { return ended_.get(); }
  /// Its wait status, where it has ended; kExitCannotRun's where somebody else has taken that.
  /// Members of its group that outlive it get SIGTERM.
  std::optional<int> reap(Time now);
  /// Sends a signal to the whole group.
  void signal(int number) const;
  /// True while something of the group still lives after its leader; what stays longer than kGrace
  /// is killed.
  bool has_leftovers(Time now);

 private:
  pid_t pid_;
  UniqueFd ended_;
  bool running_ = true;
  std::optional<Time> kill_leftovers_at_;
};

}  // namespace rondo::tool
